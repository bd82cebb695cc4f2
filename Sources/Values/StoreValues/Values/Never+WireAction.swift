public import StoreBytes

/// The action of a scope that takes none.
extension Never: WireAction {
  /// A choice without cases.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Never.self, name: "Never") { _ in .choice([]) }
  }

  /// Cannot be called.
  public func encode(to encoder: inout CBOREncoder) {}

  /// Refuses everything.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    throw decoder.error(.unknownName, "no action can be sent here")
  }
}
