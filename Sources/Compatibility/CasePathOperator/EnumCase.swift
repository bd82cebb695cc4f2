import StoreActor

/// Returns the number of a value's enum case, which is the same for all values of the case.
///
/// - Parameter value: The value.
/// - Returns: The number; nil if the value is not of an enum.
func enumTag<Value>(of value: Value) -> Int? {
  EnumFunctions<Value>()?.tag(of: value)
}

/// Returns whether two values of an enum are of the same case.
///
/// For optionals, compares the cases of the wrapped values.
func isSameCase<Root>(_ first: Root, _ second: Root) -> Bool {
  guard let tag = enumTag(of: first), tag == enumTag(of: second) else { return false }
  guard let first = first as? any OptionalValue else { return true }
  return first.isSameCase(as: second)
}

/// Returns whether a type is an optional.
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

/// Returns whether a type is a function, or a tuple that contains functions.
///
/// An enum stores a function in another form than a generic value does, and at run time the
/// conversion is unknown.
func hasFunctions(_ type: Any.Type) -> Bool {
  let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
  switch metadata.load(as: UInt.self) {
  case 0x302: return true
  case 0x301:
    let word = MemoryLayout<UInt>.size
    // A tuple's metadata: its kind, the number of its elements, their labels, and then the type and
    // the offset of each element.
    let count = metadata.load(fromByteOffset: word, as: UInt.self)
    return (0..<Int(count)).contains { index in
      let element = metadata.load(fromByteOffset: (3 + 2 * index) * word, as: Any.Type.self)
      return hasFunctions(element)
    }
  default: return false
  }
}
