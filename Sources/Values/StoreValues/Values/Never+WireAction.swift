public import StoreBytes

/// The action of a scope that accepts no actions.
extension Never: DurableAction {
  /// A choice without cases.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Never.self, name: "Never") { _ in .choice([]) }
  }

  /// Never called: the type has no values.
  public func encode(to encoder: inout CBOREncoder) {}

  /// Always throws.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    throw decoder.error(.unknownName, "no action can be sent here")
  }
}
