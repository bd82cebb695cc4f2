public import StoreState

/// A stack's action travels as the choice `element` with `id` and `action`, `popFrom` with `id`, or
/// `push` with `id` and `state`.
extension StackAction: WirePayload, WireAction where State: WireValue, Action: WireAction {
  /// A choice of the three cases.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    StackActionCoding<StackElementID, State, Action>.schema(of: Self.self, in: &registry)
  }

  /// Writes the case.
  ///
  /// - Throws: A `CodecError` when the element's action is private to the process that owns the
  ///   state.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    let parts: StackActionCoding<StackElementID, State, Action> =
      switch self {
      case .element(let id, let action): .element(id, action)
      case .popFrom(let id): .popFrom(id)
      case .push(let id, let state): .push(id, state)
      }
    try parts.encode(to: &encoder)
  }

  /// Reads the case.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    switch try StackActionCoding<StackElementID, State, Action>(from: &decoder) {
    case .element(let id, let action): self = .element(id: id, action: action)
    case .popFrom(let id): self = .popFrom(id: id)
    case .push(let id, let state): self = .push(id: id, state: state)
    }
  }
}
