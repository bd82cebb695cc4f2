/// A scope's name as a key: by its bytes, as the protocol compares names.
///
/// Texts that are equal for Swift may be written with other bytes, and are other names.
struct ScopeKey: Hashable {
  let name: String

  init(_ name: String) { self.name = name }

  static func == (left: ScopeKey, right: ScopeKey) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var name = name
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
