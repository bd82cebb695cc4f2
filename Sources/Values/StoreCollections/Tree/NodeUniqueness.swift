/// Whether a variable holds the only reference to a node.
///
/// For an `AnyObject`, `isKnownUniquelyReferenced` copies the reference and then always counts two.
/// All nodes are native objects, so any native class can stand for theirs.
@inlinable @inline(__always)
func isUnique(_ node: inout AnyObject) -> Bool {
  withUnsafeMutablePointer(to: &node) { node in
    node.withMemoryRebound(to: NoRows.self, capacity: 1) {
      isKnownUniquelyReferenced(&$0.pointee)
    }
  }
}

func isUnique(_ node: inout AnyObject?) -> Bool {
  withUnsafeMutablePointer(to: &node) { node in
    node.withMemoryRebound(to: NoRows?.self, capacity: 1) {
      isKnownUniquelyReferenced(&$0.pointee)
    }
  }
}
