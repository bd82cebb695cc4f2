import SwiftSyntax

/// The code that replicates a structure field by field.
struct StateRecordCode {
  private let access: String
  private let schemaName: String
  /// All properties that differ from value to value.
  private let properties: [StateField]
  /// The replicated properties, in the order of declaration.
  private let fields: [StateField]
  /// The properties that only the durable form has, after the others.
  private let hidden: [StateField]
  private let hasHints: Bool
  private let source: SourceLines

  init(_ state: StateDeclaration, fields properties: [StateField], source: SourceLines) {
    self.source = source
    access = state.access
    schemaName = state.schemaName
    hasHints = state.hasHints
    self.properties = properties
    fields = properties.filter { !$0.isIgnored }
    hidden = state.isDurable ? properties.filter(\.isOnlyDurable) : []
  }

  var members: [String] {
    var members = [schema, encode, decode, StateText.isPlain(access), decodePlain]
    members += [encodeDelta, applyDelta]
    if all.contains(where: \.isSetByInitializer) { members.append(initializerForConstants) }
    members += [isSame, digest]
    if !all.isEmpty { members.append(names) }
    return members
  }

  /// The fields of the durable form.
  private var all: [StateField] { fields + hidden }

  /// Whether values may differ in parts that are not replicated.
  private var hasHiddenParts: Bool { fields.count < properties.count }

  /// The fields of the durable form in the order of their names' encodings.
  private var canonical: [StateField] {
    StateNameDigest.canonicalOrder(of: all.map(\.name)).map { all[$0] }
  }

  private func isHidden(_ field: StateField) -> Bool {
    hidden.contains { $0.name == field.name }
  }

  /// The number of fields in the form that `owner` selects.
  private func count(_ owner: String) -> String {
    hidden.isEmpty ? "\(fields.count)" : "\(owner)._$isDurable ? \(all.count) : \(fields.count)"
  }

  /// Lines that only the durable form needs.
  private func onlyDurable(_ owner: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : ["if \(owner)._$isDurable {"] + lines.map { "  \($0)" } + ["}"]
  }

  /// Fields that are shared without a key, so that a restart would end the sharing.
  private var unkeyed: [String] {
    all.filter { $0.property.isShared && !$0.property.hasSharedKey && !$0.isEphemeral }
      .map { "\(schemaName).\($0.name)" }
  }

  /// The calls that record the parts that values have and encodings lack.
  private var hiddenPartsNotes: [String] {
    let isForgotten = properties.contains {
      $0.isIgnored && !$0.property.has("DurableIgnored") && !isHidden($0)
    }
    let hidden =
      "registry._$noteHiddenParts(\(isForgotten ? "of: \(StateText.literal(schemaName))" : ""))"
    let unkept = properties.filter { $0.isIgnored && $0.property.has("DurableIgnored") }
      .map { StateText.literal("\(schemaName).\($0.name)") }
    return unkept.isEmpty
      ? [hidden] : [hidden, "registry._$noteUnkept([\(unkept.joined(separator: ", "))])"]
  }
}

// MARK: - Whole values

extension StateRecordCode {
  private var schema: String {
    let lines = all.flatMap { field in
      let method =
        isHidden(field)
        ? field.isCodable ? "hiddenCodableProperty" : "hiddenProperty"
        : field.isCodable ? "codableProperty" : "property"
      let line = "  schema.\(method)(\(field.literal), \\Self.\(field.storage), in: &registry)"
      return source.place(line, at: field.property.declaration.bindingSpecifier)
    }
    let notes =
      (hasHiddenParts ? hiddenPartsNotes.map { "  \($0)" } : [])
      + (hasHints ? ["  Self._$noteHints(in: &registry)"] : [])
      + (fields.contains(where: \.isEphemeral) ? ["  registry._$noteEphemeralParts()"] : [])
      + unkeyed.map { "  registry._$noteForgetful(\(StateText.literal($0)))" }
    return StateText.function(
      "\(access)static func schema(in registry: inout \(module)SchemaRegistry)"
        + " -> \(module)Schema",
      ["registry.define(Self.self, name: \(StateText.literal(schemaName))) { registry in"]
        + notes
        + (all.isEmpty
          ? ["  \(notes.isEmpty ? "" : "return ").record([])"]
          : ["  var schema = \(module)_$SchemaWriter()"] + lines
            + ["  return .record(schema.fields)"]) + ["}"],
    )
  }

  private var encode: String {
    StateText.function(
      "\(access)func encode(to encoder: inout \(module)CBOREncoder)",
      ["encoder.mapHeader(\(count("encoder")))"]
        + canonical.flatMap { field in
          let line = "encoder._$field(\(field.literal), \(field.value(of: "self")))"
          return isHidden(field) ? onlyDurable("encoder", [line]) : [line]
        },
    )
  }

  private var decode: String {
    let lines = canonical.flatMap { field -> [String] in
      let method = field.isCodable ? "codableValue" : "value"
      let value = take(field, "try fields.\(method)(of: \(field.literal), &decoder)", "decoder")
      let find = "fields.find(\(field.literal)"
      if isHidden(field) {
        let condition =
          "decoder._$isDurable, try \(find), hasDefault: true, Self._$fieldNames, &decoder)"
        return ["if \(condition) {", "  \(value)", "}"]
      }
      guard field.property.hasDefault else {
        return ["_ = try \(find), Self._$fieldNames, &decoder)", value]
      }
      let pass = field.isEphemeral ? ", try !fields._$passEphemeral(&decoder)" : ""
      return [
        "if try \(find), hasDefault: true, Self._$fieldNames, &decoder)\(pass) {", "  \(value)",
        "}",
      ]
    }
    let names = all.isEmpty ? "\(module)_$FieldReader.Names([])" : "Self._$fieldNames"
    return StateText.function(
      "\(access)init(from decoder: inout \(module)CBORDecoder) throws(\(module)CodecError)",
      ["var fields = try \(module)_$FieldReader(&decoder)"] + lines + unsetProperties
        + ["try fields.finish(\(names), &decoder)"],
    )
  }

  /// Sets a field to the decoded value; a shared value stays with its key.
  private func take(_ field: StateField, _ value: String, _ owner: String) -> String {
    guard field.property.hasSharedKey else { return "self.\(field.storage) = \(value)" }
    return "self.\(field.storage)._$take(\(value), isKept: \(owner)._$isDurable)"
  }

  /// Reads exactly the bytes that `encode` writes.
  private var decodePlain: String {
    let lines = canonical.flatMap { field in
      let method = field.isCodable ? "codableField" : "field"
      let line = take(field, "try reader.\(method)(\(field.literal))", "reader")
      return isHidden(field) ? onlyDurable("reader", [line]) : [line]
    }
    return StateText.function(
      StateText.plainHead(access),
      ["try reader.record(\(count("reader")))"] + lines + unsetProperties + ["reader.leave()"],
    )
  }

  /// Properties that have neither a default nor a place on the wire; another diagnostic
  /// reports them.
  private var unsetProperties: [String] {
    properties.filter { $0.isIgnored && !$0.property.hasDefault }.map {
      "self.\($0.storage) = \(module)_$missingDefault()"
    }
  }

  private var isSame: String {
    StateText.function(
      "\(access)func _$isSame(as other: Self) -> Swift.Bool",
      fields.map {
        let values = "\($0.value(of: "self")), \($0.value(of: "other"))"
        return "guard \(module)_$areSame(\(values)) else { return false }"
      } + ["return true"],
    )
  }

  private var digest: String {
    let lines = fields.map { field in
      "digest.field(\(StateNameDigest.literal(of: field.name)), \(field.value(of: "self")))"
    }
    return StateText.function(
      "\(access)var _$digest: \(module)Digest",
      fields.isEmpty
        ? ["\(module)_$DigestWriter().finish()"]
        : ["var digest = \(module)_$DigestWriter()"] + lines + ["return digest.finish()"],
    )
  }

  private var names: String {
    let names = all.map(\.literal).joined(separator: ", ")
    let former = all.compactMap { field in
      field.formerName.map { "\(field.literal): \(StateText.literal($0))" }
    }
    let formerly = former.isEmpty ? "" : ", formerly: [\(former.joined(separator: ", "))]"
    return StateText.function(
      "private static var _$fieldNames: \(module)_$FieldReader.Names",
      ["\(module)_$FieldReader.Names([\(names)]\(formerly))"],
    )
  }
}

// MARK: - Changes

extension StateRecordCode {
  private var encodeDelta: String {
    let lines = all.enumerated().flatMap { index, field in
      let line =
        "delta.field(\(index), \(field.value(of: "self")), \(field.value(of: "old")), &encoder)"
      return isHidden(field) ? onlyDurable("encoder", [line]) : [line]
    }
    return StateText.function(
      "\(access)func encodeDelta(from old: Self, to encoder: inout \(module)CBOREncoder)"
        + " -> Swift.Bool",
      all.isEmpty
        ? ["false"]
        : ["var delta = \(module)_$DeltaWriter(record: &encoder)"] + lines
          + ["return delta.finish(&encoder)"],
    )
  }

  private var applyDelta: String {
    let place = "try decoder._$fieldPlace(below: \(count("decoder")))"
    let change: [String]
    if all.isEmpty {
      change = ["_ = \(place)"]
    } else {
      let cases = all.enumerated().flatMap { index, field in
        [
          index == all.count - 1 ? "default:" : "case \(index):",
          "  \(apply(field, at: index))",
        ]
      }
      change = ["switch \(place) {"] + cases + ["}"]
    }
    return StateText.function(
      "\(access)mutating func applyDelta(from decoder: inout \(module)CBORDecoder)"
        + " throws(\(module)CodecError)",
      ["for _ in 0..<(try decoder.mapHeader()) {"] + change.map { "  \($0)" } + ["}"],
    )
  }

  private func apply(_ field: StateField, at index: Int) -> String {
    guard !field.isSetByInitializer else {
      return "self = try Self(_$changing: \(index), of: self, from: &decoder)"
    }
    let method = field.isCodable ? "_$applyCodable" : "_$apply"
    return "try decoder.\(method)(to: &self.\(field.storage), of: \(field.literal))"
  }

  /// The initializer for a value with one changed field that only an initializer may set.
  private var initializerForConstants: String {
    let lines = properties.flatMap { property -> [String] in
      guard !property.property.isLazy, !property.property.isConditional else { return [] }
      let storage = property.storage
      guard property.isSetByInitializer,
        let index = all.firstIndex(where: { $0.name == property.name })
      else { return ["self.\(storage) = old.\(storage)"] }
      let method = property.isCodable ? "_$applyCodable" : "_$apply"
      return [
        "var new\(index) = old.\(storage)",
        "if place == \(index) {",
        "  try decoder.\(method)(to: &new\(index), of: \(property.literal))",
        "}",
        "self.\(storage) = new\(index)",
      ]
    }
    return StateText.function(
      "private init(_$changing place: Swift.Int, of old: Self,"
        + " from decoder: inout \(module)CBORDecoder) throws(\(module)CodecError)",
      lines,
    )
  }
}
