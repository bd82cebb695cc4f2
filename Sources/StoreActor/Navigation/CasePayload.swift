/// The type of what a case holds, without looking at a value.
func payloadType(of keyPath: AnyKeyPath) -> Any.Type? {
  (type(of: keyPath).valueType as? any CaseOfType.Type)?.payloadType
}

/// A ``Case`` of any type, as the end of a key path whose type is not known.
private protocol CaseOfType {
  static var payloadType: Any.Type { get }
}

extension Case: CaseOfType {
  fileprivate static var payloadType: Any.Type { Value.self }
}
