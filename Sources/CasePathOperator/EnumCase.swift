/// Which of its enum's cases a value is of: a number that is the same for all values of a case.
///
/// The compiler leaves a function in each enum's metadata that tells; there is no way to ask for it
/// in the language. It sees cases that a mirror cannot tell apart, as those that differ by nothing
/// but their labels.
///
/// - Parameter value: The value.
/// - Returns: The number; nil when the value is not of an enum.
func enumTag<Value>(of value: Value) -> UInt32? {
  let metadata = unsafeBitCast(Value.self, to: UnsafeRawPointer.self)
  guard MetadataKind(rawValue: metadata.load(as: UInt.self)) != nil else { return nil }
  // The table of a type's basic operations stands one word before its metadata.
  let witnesses = metadata.load(
    fromByteOffset: -MemoryLayout<UnsafeRawPointer>.size,
    as: UnsafeRawPointer.self,
  )
  let function = witnesses.load(
    fromByteOffset: WitnessOffset.enumTag,
    as: GetEnumTag.self,
  )
  return withUnsafePointer(to: value) { function(UnsafeRawPointer($0), metadata) }
}

private typealias GetEnumTag =
  @convention(c) (_ value: UnsafeRawPointer, _ metadata: UnsafeRawPointer) -> UInt32

/// The kinds of metadata whose value witnesses have an enum's part.
private enum MetadataKind: UInt {
  case enumeration = 0x201
  case optional = 0x202
}

/// Whether two values of an enum are of the same case; for optionals, whether what is in them is.
func isSameCase<Root>(_ first: Root, _ second: Root) -> Bool {
  guard let tag = enumTag(of: first), tag == enumTag(of: second) else { return false }
  guard let first = first as? any OptionalValue else { return true }
  return first.isSameCase(as: second)
}

/// Whether values of a type are optionals.
func isOptionalType(_ type: Any.Type) -> Bool { type is any OptionalValue.Type }

private protocol OptionalValue {
  func isSameCase(as other: Any) -> Bool
}

extension Optional: OptionalValue {
  fileprivate func isSameCase(as other: Any) -> Bool {
    guard let wrapped = self, case let other? = other as? Wrapped? else { return true }
    guard let other else { return false }
    return enumTag(of: wrapped) == nil || CasePathOperator.isSameCase(wrapped, other)
  }
}

/// Whether values of a type are functions, or tuples with functions in them.
///
/// A function is stored in an enum in another form than in a generic value, and there is no telling
/// at run time how to make one of the other.
func hasFunctions(_ type: Any.Type) -> Bool {
  let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
  switch metadata.load(as: UInt.self) {
  case 0x302: return true
  case 0x301:
    let word = MemoryLayout<UInt>.size
    // A tuple's metadata: its kind, the number of its elements, their labels, and then for each
    // element its type and its place.
    let count = metadata.load(fromByteOffset: word, as: UInt.self)
    return (0..<Int(count)).contains { index in
      let element = metadata.load(fromByteOffset: (3 + 2 * index) * word, as: Any.Type.self)
      return hasFunctions(element)
    }
  default: return false
  }
}

private enum WitnessOffset {
  /// Eight functions, size and stride in a word each, flags and spare bit patterns in one together.
  static let enumTag = 10 * MemoryLayout<UInt>.size + 2 * MemoryLayout<UInt32>.size
}
