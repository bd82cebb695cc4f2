public import StoreState

/// A presentation's action travels as the choice `dismiss`, or `presented` with the child's action.
extension PresentationAction: WirePayload, WireAction where Action: WireAction {
  /// A choice of the two cases.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    PresentationActionCoding<Action>.schema(of: Self.self, in: &registry)
  }

  /// Writes the case.
  ///
  /// - Throws: A `CodecError` when the child's action is private to the process that owns the
  ///   state.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    switch self {
    case .dismiss: PresentationActionCoding<Action>.encodeDismiss(to: &encoder)
    case .presented(let action): try PresentationActionCoding.encode(action, to: &encoder)
    }
  }

  /// Reads the case.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let action = try PresentationActionCoding<Action>.decode(from: &decoder)
    self = action.map { .presented($0) } ?? .dismiss
  }
}
