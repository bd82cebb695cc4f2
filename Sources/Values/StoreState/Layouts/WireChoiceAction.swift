/// An action whose layout lists the cases that a client may send.
public protocol WireChoiceAction: WireAction {
  /// The cases that a client may send.
  static var layout: ActionLayout<Self> { get }
}

extension WireChoiceAction {
  /// A choice of the layout's cases.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    layout.schema(in: &registry)
  }

  /// Writes the case and its payload.
  ///
  /// - Throws: A `CodecError` if the layout does not list the case.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    try Self.layout.encode(self, to: &encoder)
  }

  /// Reads a case that the layout lists.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self = try Self.layout.decode(from: &decoder)
  }
}
