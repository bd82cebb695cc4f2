/// The cases of an enumeration that is part of a state.
///
///     static let layout = ChoiceLayout<Destination>("Destination", [
///       .case("none", .none),
///       .case("edit", "id", "title", embed: Destination.edit(id:title:)) {
///         if case .edit(let id, let title) = $0 { (id, title) } else { nil }
///       },
///     ])
///
/// All cases must be listed: a value of another case traps when it is encoded.
public struct ChoiceLayout<Value: Sendable>: Sendable {
  /// One case.
  public struct Case: Sendable {
    let name: String
    let hasPayload: Bool
    let schema: @Sendable (inout SchemaRegistry) -> [Definition.Field]
    let matches: @Sendable (Value) -> Bool
    /// Writes the payload of a value of this case.
    let encode: @Sendable (Value, inout CBOREncoder) -> Void
    let decode: @Sendable (inout CBORDecoder) throws(CodecError) -> Value
    /// Writes the delta between the payloads of two values of this case.
    let encodeDelta: @Sendable (Value, Value, inout CBOREncoder) -> Bool
    let applyDelta: @Sendable (Value, inout CBORDecoder) throws(CodecError) -> Value
    let isSame: @Sendable (Value, Value) -> Bool
    /// The digest of the payload of a value of this case.
    let digest: @Sendable (Value) -> Digest
  }

  let name: String
  let cases: [Case]
  let names: CaseNames
  private let nameDigests: [Digest]

  /// Creates the layout of a choice.
  ///
  /// - Parameters:
  ///   - name: The type's name in schemas.
  ///   - cases: All cases, in the order of declaration.
  public init(_ name: String, _ cases: [Case]) {
    self.name = name
    self.cases = cases
    names = CaseNames(cases.map { ($0.name, $0.hasPayload) }, of: name)
    nameDigests = cases.map(\.name._$digest)
  }
}

extension ChoiceLayout {
  func schema(in registry: inout SchemaRegistry) -> Schema {
    registry.define(Value.self, name: name) { registry in
      .choice(cases.map { Definition.Case($0.name, $0.schema(&registry)) })
    }
  }

  func encode(_ value: Value, to encoder: inout CBOREncoder) {
    let index = index(of: value)
    if cases[index].hasPayload { encoder.mapHeader(1) }
    encoder.append(raw: names.encodedNames[index])
    cases[index].encode(value, &encoder)
  }

  func decode(from decoder: inout CBORDecoder) throws(CodecError) -> Value {
    let index = try decoder.caseIndex(names, what: "case")
    do throws(CodecError) {
      return try cases[index].decode(&decoder)
    } catch {
      throw error.inside(.name(names.names[index]))
    }
  }

  func isSame(_ one: Value, _ other: Value) -> Bool {
    let index = index(of: one)
    return cases[index].matches(other) && cases[index].isSame(one, other)
  }

  func digest(_ value: Value) -> Digest {
    let index = index(of: value)
    guard cases[index].hasPayload else { return nameDigests[index] }
    var digest = MapDigest()
    digest.add(key: nameDigests[index], value: cases[index].digest(value))
    return digest.finish()
  }

  func encodeDelta(_ value: Value, from old: Value, to encoder: inout CBOREncoder) -> Bool {
    let index = index(of: value)
    let mark = encoder.mark
    encoder.arrayHeader(2)
    guard cases[index].matches(old) else {
      encoder.encode(unsigned: 0)
      encode(value, to: &encoder)
      return true
    }
    encoder.encode(unsigned: UInt64(index) + 1)
    guard cases[index].encodeDelta(value, old, &encoder) else {
      encoder.truncate(to: mark)
      return false
    }
    return true
  }

  func applyDelta(to value: inout Value, from decoder: inout CBORDecoder) throws(CodecError) {
    guard case .changed(let changed) = try decoder.choiceDeltaForm(cases: cases.count) else {
      value = try decode(from: &decoder)
      return
    }
    let index = index(of: value)
    guard changed == index else {
      throw decoder.error(
        .deltaMismatch,
        "the delta changes the case \(names.names[changed]), the value is \(names.names[index])",
      )
    }
    do throws(CodecError) {
      value = try cases[index].applyDelta(value, &decoder)
    } catch {
      throw error.inside(.name(names.names[index]))
    }
  }

  private func index(of value: Value) -> Int {
    guard let index = cases.firstIndex(where: { $0.matches(value) }) else {
      preconditionFailure(
        "The layout of \(name) lists \(cases.count) cases, and \"\(caseName(of: value))\" "
          + "is none of them."
      )
    }
    return index
  }
}
