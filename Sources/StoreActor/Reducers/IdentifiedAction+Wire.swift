public import StoreState

/// A row's action travels as the choice `element` with the row's `id` and its `action`.
extension IdentifiedAction: WirePayload, WireAction where ID: WireValue, Action: WireAction {
  /// A choice of the one case.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    ElementActionCoding<ID, Action>.schema(of: Self.self, in: &registry)
  }

  /// Writes the id and the action.
  ///
  /// - Throws: A `CodecError` when the row's action is private to the process that owns the state.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    switch self {
    case .element(let id, let action):
      try ElementActionCoding.encode(id: id, action: action, to: &encoder)
    }
  }

  /// Reads the id and the action.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let (id, action) = try ElementActionCoding<ID, Action>.decode(from: &decoder)
    self = .element(id: id, action: action)
  }
}
