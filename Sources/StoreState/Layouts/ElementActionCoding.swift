/// The wire form of an action for one element of an identified array.
///
/// It is a choice with the one case `element`, whose payload is the `id` of the element and the
/// `action` for it. A generic enumeration has no room for a stored layout, so it calls this.
package enum ElementActionCoding<ID: WireValue, Action: WireAction> {
  /// The choice, defined as the type that stands for it.
  package static func schema<Value>(
    of type: Value.Type,
    in registry: inout SchemaRegistry,
  ) -> Schema {
    registry.define(type, name: "IdentifiedAction") { registry in
      let id = Definition.Field("id", ID.schema(in: &registry))
      let action = Definition.Field("action", Action.schema(in: &registry))
      return .choice([Definition.Case("element", [id, action])])
    }
  }

  /// Writes the case.
  package static func encode(
    id: ID,
    action: Action,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
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

  /// Reads the case.
  package static func decode(
    from decoder: inout CBORDecoder
  ) throws(CodecError) -> (id: ID, action: Action) {
    _ = try decoder.caseIndex(elementCase, what: "action")
    do throws(CodecError) {
      var left = try decoder.mapHeader()
      try decoder.fieldName(elementLabels, at: 0, left: left)
      let id = try decoder.decode(ID.self, at: .name("id"))
      left -= 1
      try decoder.fieldName(elementLabels, at: 1, left: left)
      let action = try decoder.decode(Action.self, at: .name("action"))
      try decoder.checkNoMoreFields(elementLabels, left: left - 1)
      return (id, action)
    } catch {
      throw error.inside(.name("element"))
    }
  }
}

private let elementCase = CaseNames([("element", true)], of: "An element's action")
private let elementLabels = FieldOrder(["id", "action"], of: "An element's action")
