import SwiftSyntax

/// The code that replicates an enumeration, case by case and part by part.
struct StateChoiceCode {
  private let access: String
  private let schemaName: String
  private let cases: [StateCase]
  private let hasHints: Bool
  private let source: SourceLines

  init(_ state: StateDeclaration, cases: [StateCase], source: SourceLines) {
    self.source = source
    access = state.access
    schemaName = state.schemaName
    self.cases = cases
    hasHints = state.hasHints
  }

  var members: [String] {
    var whole = [schema, encode, decode, names]
    if isPlain { whole += [StateText.isPlain(access), decodePlain] }
    // A type without values needs no code; the protocol's defaults suffice.
    return cases.isEmpty ? whole : whole + [encodeDelta, applyDelta, isSame, digest]
  }
}

extension StateCase {
  var literal: String { StateText.literal(name) }
  var digest: String { StateNameDigest.literal(of: name) }
  var formerName: String? {
    declaration.attributes.attribute(named: "Replicated")?.text(labelled: "formerly")
  }

  /// The indices of the parts, sorted by the encodings of their labels.
  var canonical: [Int] { StateNameDigest.canonicalOrder(of: payload.map(\.name)) }

  /// `.edit(let new0, let new1)`.
  func pattern(_ keyword: String, _ prefix: String) -> String {
    guard !payload.isEmpty else { return ".\(identifier.text)" }
    let parts = payload.indices.map { "\(keyword) \(prefix)\($0)" }.joined(separator: ", ")
    return ".\(identifier.text)(\(parts))"
  }

  /// `.edit(id: …, title: …)`.
  func construction(_ part: (Int) -> String) -> String {
    guard !payload.isEmpty else { return ".\(identifier.text)" }
    let parts = payload.enumerated().map { place, element in
      element.label.map { "\($0.text): \(part(place))" } ?? part(place)
    }
    return ".\(identifier.text)(\(parts.joined(separator: ", ")))"
  }
}

// MARK: - Whole values

extension StateChoiceCode {
  private var schema: String {
    let lines = cases.flatMap { element in
      guard !element.payload.isEmpty else { return ["  schema.case(\(element.literal))"] }
      let labels = element.payload.map { StateText.literal($0.name) }.joined(separator: ", ")
      let line =
        "  schema.case(\(element.literal), [\(labels)], Self.\(element.identifier.text),"
        + " in: &registry)"
      return source.place(line, at: element.declaration.caseKeyword)
    }
    return StateText.function(
      "\(access)static func schema(in registry: inout \(module)SchemaRegistry)"
        + " -> \(module)Schema",
      ["registry.define(Self.self, name: \(StateText.literal(schemaName))) { registry in"]
        + (hasHints ? ["  Self._$noteHints(in: &registry)"] : [])
        + (cases.isEmpty
          ? ["  .choice([])"]
          : ["  var schema = \(module)_$SchemaWriter()"] + lines
            + ["  return .choice(schema.cases)"]) + ["}"],
    )
  }

  private var encode: String {
    let lines = cases.flatMap { element -> [String] in
      guard !element.payload.isEmpty else {
        return ["case .\(element.identifier.text):", "  encoder.encode(name: \(element.literal))"]
      }
      let parts = element.canonical.map { place in
        "  encoder._$field(\(StateText.literal(element.payload[place].name)), part\(place))"
      }
      return [
        "case \(element.pattern("let", "part")):",
        "  encoder._$payload(of: \(element.literal), \(element.payload.count))",
      ] + parts
    }
    return StateText.function(
      "\(access)func encode(to encoder: inout \(module)CBOREncoder)",
      ["switch self {"] + lines + ["}"],
    )
  }

  private var decode: String {
    let head =
      "\(access)init(from decoder: inout \(module)CBORDecoder) throws(\(module)CodecError)"
    let tests = cases.enumerated().flatMap { index, element -> [String] in
      let former = element.formerName.map { ", formerly: \(StateText.literal($0))" } ?? ""
      let test =
        "try choice.finds(\(element.literal)\(former), hasPayload: \(!element.payload.isEmpty),"
        + " &decoder)"
      let keyword = index == 0 ? "if" : "} else if"
      return ["\(keyword) \(test) {"]
        + decoding(element).map { "  \($0)" }
    }
    let failure = "throw choice.unknown(Self._$caseNames, &decoder)"
    return StateText.function(
      head,
      ["let choice = try \(module)_$ChoiceReader(&decoder)"]
        + (cases.isEmpty ? [failure] : tests + ["} else {", "  \(failure)", "}"]),
    )
  }

  private func decoding(_ element: StateCase) -> [String] {
    guard !element.payload.isEmpty else { return ["self = .\(element.identifier.text)"] }
    let labels = element.payload.map { StateText.literal($0.name) }
    var lines: [String]
    if element.canonical == Array(labels.indices) {
      let names = "\(module)_$FieldReader.Names([\(labels.joined(separator: ", "))])"
      lines = ["var fields = try \(module)_$FieldReader(&decoder)"]
      // Arguments are evaluated in order, so each name is read before its value.
      let value = element.construction { place in
        "try fields.nextValue(of: \(labels[place]), \(names), &decoder)"
      }
      lines += ["self = \(value)", "try fields.finish(\(names), &decoder)"]
    } else {
      let order = element.canonical.map(String.init).joined(separator: ", ")
      let list = labels.joined(separator: ", ")
      lines = [
        "var parts = try \(module)_$ShuffledReader([\(list)], order: [\(order)], &decoder)"
      ]
      lines += [
        "self = \(element.construction { "try parts.value(\($0), of: \(labels[$0]))" })"
      ]
    }
    return ["do throws(\(module)CodecError) {"] + lines.map { "  \($0)" } + [
      "} catch {",
      "  throw error.inside(.name(\(element.literal)))",
      "}",
    ]
  }

  /// Whether each payload can be created while it is read: its parts are in the order of their
  /// labels' encodings.
  private var isPlain: Bool {
    !cases.isEmpty && cases.allSatisfy { $0.canonical == Array($0.payload.indices) }
  }

  /// Reads exactly the bytes that `encode` writes.
  private var decodePlain: String {
    let lines = cases.enumerated().flatMap { index, element -> [String] in
      let hasPayload = element.payload.isEmpty ? "!hasPayload" : "hasPayload"
      return [
        "\(index == 0 ? "if" : "} else if") \(hasPayload), reader.finds(\(element.literal)) {"
      ]
        + decodingPlain(element).map { "  \($0)" }
    }
    return StateText.function(
      StateText.plainHead(access),
      ["let hasPayload = try reader.choice()"] + lines
        + ["} else {", "  throw \(module)_$NotPlain()", "}"],
    )
  }

  private func decodingPlain(_ element: StateCase) -> [String] {
    guard !element.payload.isEmpty else { return ["self = .\(element.identifier.text)"] }
    let value = element.construction { place in
      "try reader.field(\(StateText.literal(element.payload[place].name)))"
    }
    return [
      "try reader.record(\(element.payload.count))", "self = \(value)", "reader.leave()",
      "reader.leave()",
    ]
  }

  private var isSame: String {
    let lines = cases.flatMap { element -> [String] in
      let values = element.payload.indices.map {
        "guard \(module)_$areSame(part\($0), other\($0)) else { return false }"
      }
      return ["case \(element.pattern("let", "part")):"]
        + same(element, "other", values + ["return true"]).map { "  \($0)" }
    }
    return StateText.function(
      "\(access)func _$isSame(as other: Self) -> Swift.Bool",
      ["switch self {"] + lines + ["}"] + (cases.count > 1 ? ["return false"] : []),
    )
  }

  /// The code for another value of the same case.
  ///
  /// With only one case, an `if` would have an unreachable branch, and the compiler would warn.
  private func same(_ element: StateCase, _ other: String, _ body: [String]) -> [String] {
    let pattern = "case \(element.pattern("let", other))"
    guard cases.count > 1 else {
      return ["switch \(other) {", "\(pattern):"] + body.map { "  \($0)" } + ["}"]
    }
    return ["if \(pattern) = \(other) {"] + body.map { "  \($0)" } + ["}"]
  }

  private var digest: String {
    let lines = cases.flatMap { element -> [String] in
      guard !element.payload.isEmpty else {
        return [
          "case .\(element.identifier.text):",
          "  return \(module)Digest(rawValue: \(element.digest))",
        ]
      }
      let parts = element.payload.enumerated().map { place, part in
        "  digest.field(\(StateNameDigest.literal(of: part.name)), part\(place))"
      }
      return [
        "case \(element.pattern("let", "part")):",
        "  var digest = \(module)_$DigestWriter()",
      ] + parts + ["  return digest.finish(case: \(element.digest))"]
    }
    return StateText.function(
      "\(access)var _$digest: \(module)Digest",
      ["switch self {"] + lines + ["}"],
    )
  }

  private var names: String {
    let names = cases.map(\.literal).joined(separator: ", ")
    return StateText.function(
      "private static var _$caseNames: [Swift.String]",
      ["[\(names)]"],
    )
  }
}

// MARK: - Changes

extension StateChoiceCode {
  private var encodeDelta: String {
    let lines = cases.enumerated().flatMap { index, element -> [String] in
      let parts = element.payload.indices.map {
        "delta.field(\($0), part\($0), old\($0), &encoder)"
      }
      let body =
        parts.isEmpty
        ? ["return false"]
        : ["var delta = \(module)_$DeltaWriter(case: \(index), &encoder)"] + parts
          + ["return delta.finish(&encoder)"]
      return ["case \(element.pattern("let", "part")):"]
        + same(element, "old", body).map { "  \($0)" }
    }
    return StateText.function(
      "\(access)func encodeDelta(from old: Self, to encoder: inout \(module)CBOREncoder)"
        + " -> Swift.Bool",
      ["switch self {"] + lines + ["}"]
        + (cases.count > 1 ? ["return encoder._$replacement(self)"] : []),
    )
  }

  private var applyDelta: String {
    let head =
      "\(access)mutating func applyDelta(from decoder: inout \(module)CBORDecoder)"
      + " throws(\(module)CodecError)"
    let lines = cases.enumerated().flatMap { index, element in
      ["case \(element.pattern("var", "part")):"]
        + applying(element, at: index).map { "  \($0)" }
    }
    return StateText.function(
      head,
      [
        "guard let changed = try decoder._$changedCase(of: \(cases.count)) else {",
        "  self = try Self(from: &decoder)",
        "  return",
        "}",
        "switch self {",
      ] + lines + ["}"],
    )
  }

  private func applying(_ element: StateCase, at index: Int) -> [String] {
    let check = "try decoder._$expect(changed, toBe: \(index), Self._$caseNames)"
    guard !element.payload.isEmpty else {
      return [check, "throw decoder._$noPayload(in: \(element.literal))"]
    }
    let count = element.payload.count
    let places = element.payload.enumerated().flatMap { place, part in
      [
        place == count - 1 ? "  default:" : "  case \(place):",
        "    try decoder._$apply(to: &part\(place), of: \(StateText.literal(part.name)))",
      ]
    }
    let body =
      [
        "var changes = try \(module)_$PayloadChanges(&decoder)",
        "while let place = try changes.next(below: \(count), &decoder) {",
        "  switch place {",
      ] + places + ["  }", "}", "self = \(element.construction { "part\($0)" })"]
    return [check, "do throws(\(module)CodecError) {"] + body.map { "  \($0)" } + [
      "} catch {",
      "  throw error.inside(.name(\(element.literal)))",
      "}",
    ]
  }
}
