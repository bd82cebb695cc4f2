public import StoreState

/// The wire form of a presentation's action: the choice `dismiss`, or `presented` with the child's.
extension PresentationAction: WirePayload, WireAction where Action: WireAction {
  /// A choice of the two cases.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "PresentationAction") { registry in
      let action = Definition.Field("_0", Action.schema(in: &registry))
      return .choice([Definition.Case("dismiss"), Definition.Case("presented", [action])])
    }
  }

  /// Writes the case.
  ///
  /// - Throws: A `CodecError` if the child's action is private to the process that owns the state.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    guard case .presented(let action) = self else { return encoder.encode(name: "dismiss") }
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

  /// Reads the case.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    guard try decoder.caseIndex(presentationCases, what: "action") == 1 else {
      self = .dismiss
      return
    }
    do throws(CodecError) {
      let left = try decoder.mapHeader()
      try decoder.fieldName(presentedLabels, at: 0, left: left)
      self = .presented(try decoder.decode(Action.self, at: .name("_0")))
      try decoder.checkNoMoreFields(presentedLabels, left: left - 1)
    } catch {
      throw error.inside(.name("presented"))
    }
  }
}

/// A presentation's action is stored as its feature's is.
extension PresentationAction: DurableAction where Action: DurableAction {}

private let presentationCases = CaseNames(
  [("dismiss", false), ("presented", true)],
  of: "A presentation's action",
)
private let presentedLabels = FieldOrder(["_0"], of: "A presentation's action")
