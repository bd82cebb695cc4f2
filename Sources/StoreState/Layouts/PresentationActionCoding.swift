/// The wire form of the action of a child that is presented.
///
/// It is a choice of `dismiss`, which has no payload, and `presented` with the child's action. A
/// generic enumeration has no room for a stored layout, so it calls this.
package enum PresentationActionCoding<Action: WireAction> {
  /// The choice, defined as the type that stands for it.
  package static func schema<Value>(
    of type: Value.Type,
    in registry: inout SchemaRegistry,
  ) -> Schema {
    registry.define(type, name: "PresentationAction") { registry in
      let action = Definition.Field("_0", Action.schema(in: &registry))
      return .choice([Definition.Case("dismiss"), Definition.Case("presented", [action])])
    }
  }

  /// Writes the case without the child's action.
  package static func encodeDismiss(to encoder: inout CBOREncoder) {
    encoder.encode(name: "dismiss")
  }

  /// Writes the case with the child's action.
  package static func encode(
    _ action: Action,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    encoder.mapHeader(1)
    encoder.encode(name: "presented")
    encoder.mapHeader(1)
    encoder.encode(name: "_0")
    do throws(CodecError) {
      try action.encode(to: &encoder)
    } catch {
      throw error.inside(.name("_0")).inside(.name("presented"))
    }
  }

  /// Reads the case: the child's action, or nil for `dismiss`.
  package static func decode(from decoder: inout CBORDecoder) throws(CodecError) -> Action? {
    guard try decoder.caseIndex(presentationCases, what: "action") == 1 else { return nil }
    do throws(CodecError) {
      let left = try decoder.mapHeader()
      try decoder.fieldName(presentedLabels, at: 0, left: left)
      let action = try decoder.decode(Action.self, at: .name("_0"))
      try decoder.checkNoMoreFields(presentedLabels, left: left - 1)
      return action
    } catch {
      throw error.inside(.name("presented"))
    }
  }
}

private let presentationCases = CaseNames(
  [("dismiss", false), ("presented", true)],
  of: "A presentation's action",
)
private let presentedLabels = FieldOrder(["_0"], of: "A presentation's action")
