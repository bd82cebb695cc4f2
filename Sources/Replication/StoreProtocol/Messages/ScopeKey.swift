/// A scope's name as a key: by its bytes, as the protocol compares names.
///
/// Texts that are equal in Swift may differ in their bytes, and are different names.
package struct ScopeKey: Hashable {
  package let name: String

  package init(_ name: String) { self.name = name }

  package static func == (left: ScopeKey, right: ScopeKey) -> Bool {
    left.name.utf8.count == right.name.utf8.count
      && left.withBytes(and: right) { $0.elementsEqual($1) }
  }

  private func withBytes(
    and other: ScopeKey,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool,
  ) -> Bool {
    var (name, otherName) = (name, other.name)
    return name.withUTF8 { own in otherName.withUTF8 { body(own, $0) } }
  }

  package func hash(into hasher: inout Hasher) {
    var name = name
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension ScopeKey: Comparable {
  package static func < (left: ScopeKey, right: ScopeKey) -> Bool {
    left.withBytes(and: right) { $0.lexicographicallyPrecedes($1) }
  }
}
