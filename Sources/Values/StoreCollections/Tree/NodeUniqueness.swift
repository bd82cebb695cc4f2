/// Whether a place that holds a node has the only reference to it.
///
/// Asked of an `AnyObject`, `isKnownUniquelyReferenced` opens a copy of the reference and then
/// always finds two. All nodes are native objects, for which any class can stand.
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
