import StoreActor

/// Which of its enum's cases a value is of: a number that is the same for all values of a case.
///
/// - Parameter value: The value.
/// - Returns: The number; nil when the value is not of an enum.
func enumTag<Value>(of value: Value) -> Int? {
  EnumFunctions<Value>()?.tag(of: value)
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
