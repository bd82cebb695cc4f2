public import StoreState

/// The wire form of a stack's action: the choice `element` with `id` and `action`, `popFrom` with
/// `id`, or `push` with `id` and `state`.
extension StackAction: WirePayload, WireAction where State: WireValue, Action: WireAction {
  /// A choice of the three cases.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "StackAction") { registry in
      let id = Definition.Field("id", StackElementID.schema(in: &registry))
      let action = Definition.Field("action", Action.schema(in: &registry))
      let state = Definition.Field("state", State.schema(in: &registry))
      return .choice([
        Definition.Case("element", [id, action]),
        Definition.Case("popFrom", [id]),
        Definition.Case("push", [id, state]),
      ])
    }
  }

  /// Writes the case.
  ///
  /// - Throws: A `CodecError` if the element's action is private to the process that owns
  ///   the state.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    encoder.mapHeader(1)
    switch self {
    case .element(let id, let action):
      begin("element", of: id, parts: 2, to: &encoder)
      encoder.encode(name: "action")
      do throws(CodecError) {
        try action.encode(to: &encoder)
      } catch {
        throw error.inside(.name("action")).inside(.key("\(id)")).inside(.name("element"))
      }
    case .popFrom(let id):
      begin("popFrom", of: id, parts: 1, to: &encoder)
    case .push(let id, let state):
      begin("push", of: id, parts: 2, to: &encoder)
      encoder.encode(name: "state")
      state.encode(to: &encoder)
    }
  }

  /// Writes the name of a case and the id, which is the first of its parts.
  private func begin(
    _ name: StaticString,
    of id: StackElementID,
    parts: Int,
    to encoder: inout CBOREncoder,
  ) {
    encoder.encode(name: name)
    encoder.mapHeader(parts)
    encoder.encode(name: "id")
    id.encode(to: &encoder)
  }

  /// Reads the case.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let place = try decoder.caseIndex(stackCases, what: "action")
    do throws(CodecError) {
      self = try Self(case: place, from: &decoder)
    } catch {
      throw error.inside(.name(stackCases.names[place]))
    }
  }

  private init(case place: Int, from decoder: inout CBORDecoder) throws(CodecError) {
    let labels = stackLabels[place]
    let left = try decoder.mapHeader()
    try decoder.fieldName(labels, at: 0, left: left)
    let id = try decoder.decode(StackElementID.self, at: .name("id"))
    if place != 1 { try decoder.fieldName(labels, at: 1, left: left - 1) }
    switch place {
    case 0: self = .element(id: id, action: try decoder.decode(Action.self, at: .name("action")))
    case 1: self = .popFrom(id: id)
    default: self = .push(id: id, state: try decoder.decode(State.self, at: .name("state")))
    }
    try decoder.checkNoMoreFields(labels, left: left - labels.names.count)
  }
}

/// A stack's action is stored as its features' are.
extension StackAction: DurableAction where State: WireValue, Action: DurableAction {}

private let stackCases = CaseNames(
  [("element", true), ("popFrom", true), ("push", true)],
  of: "A stack's action",
)
private let stackLabels = [["id", "action"], ["id"], ["id", "state"]].map {
  FieldOrder($0, of: "A stack's action")
}
