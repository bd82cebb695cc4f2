/// The wire form of a result: the choice `failure` or `success`, with a value each.
extension Result: WirePayload where Success: WirePayload, Failure: WirePayload {
  /// A choice of the two cases.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Self.self, name: "Result") { registry in
      let failure = Definition.Field("_0", Failure.schema(in: &registry))
      let success = Definition.Field("_0", Success.schema(in: &registry))
      return .choice([
        Definition.Case("failure", [failure]), Definition.Case("success", [success]),
      ])
    }
  }

  /// Writes the case and its value.
  ///
  /// - Throws: A `CodecError` if the value is an action that is private to the process that owns
  ///   the state.
  public func encode(to encoder: inout CBOREncoder) throws(CodecError) {
    encoder.mapHeader(1)
    switch self {
    case .success(let value): try Self.encode(value, of: "success", to: &encoder)
    case .failure(let error): try Self.encode(error, of: "failure", to: &encoder)
    }
  }

  private static func encode(
    _ value: some WirePayload,
    of name: StaticString,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    encoder.encode(name: name)
    encoder.mapHeader(1)
    encoder.encode(name: "_0")
    do throws(CodecError) {
      try value.encode(to: &encoder)
    } catch {
      throw error.inside(.name("_0")).inside(.name("\(name)"))
    }
  }

  /// Reads the case and its value.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let place = try decoder.caseIndex(resultCases, what: "result")
    do throws(CodecError) {
      let left = try decoder.mapHeader()
      try decoder.fieldName(resultLabels, at: 0, left: left)
      self =
        place == 1
        ? .success(try decoder.decode(Success.self, at: .name("_0")))
        : .failure(try decoder.decode(Failure.self, at: .name("_0")))
      try decoder.checkNoMoreFields(resultLabels, left: left - 1)
    } catch {
      throw error.inside(.name(resultCases.names[place]))
    }
  }
}

private let resultCases = CaseNames([("failure", true), ("success", true)], of: "A result")
private let resultLabels = FieldOrder(["_0"], of: "A result")
