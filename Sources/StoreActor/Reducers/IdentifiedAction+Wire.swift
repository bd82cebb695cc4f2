public import StoreState

/// The wire form of a row's action: the choice `element` with the row's `id` and its `action`.
extension IdentifiedAction: WirePayload, WireAction where ID: WireValue, Action: WireAction {
  /// A choice of the one case.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "IdentifiedAction") { registry in
      let id = Definition.Field("id", ID.schema(in: &registry))
      let action = Definition.Field("action", Action.schema(in: &registry))
      return .choice([Definition.Case("element", [id, action])])
    }
  }

  /// Writes the id and the action.
  ///
  /// - Throws: A `CodecError` when the row's action is private to the process that owns the state.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    guard case .element(let id, let action) = self else { return }
    encoder.mapHeader(1)
    encoder.encode(name: "element")
    encoder.mapHeader(2)
    encoder.encode(name: "id")
    id.encode(to: &encoder)
    encoder.encode(name: "action")
    do throws(CodecError) {
      try action.encode(to: &encoder)
    } catch {
      throw error.inside(.name("action")).inside(.key("\(id)")).inside(.name("element"))
    }
  }

  /// Reads the id and the action.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    _ = try decoder.caseIndex(elementCase, what: "action")
    do throws(CodecError) {
      let left = try decoder.mapHeader()
      try decoder.fieldName(elementLabels, at: 0, left: left)
      let id = try decoder.decode(ID.self, at: .name("id"))
      try decoder.fieldName(elementLabels, at: 1, left: left - 1)
      self = .element(id: id, action: try decoder.decode(Action.self, at: .name("action")))
      try decoder.checkNoMoreFields(elementLabels, left: left - 2)
    } catch {
      throw error.inside(.name("element"))
    }
  }
}

/// An element's action is stored as its feature's is.
extension IdentifiedAction: DurableAction where ID: WireValue, Action: DurableAction {}

private let elementCase = CaseNames([("element", true)], of: "An element's action")
private let elementLabels = FieldOrder(["id", "action"], of: "An element's action")
