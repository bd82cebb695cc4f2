@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

extension GenericValue {
  /// The delta from `old` to this value, both of a document's root.
  ///
  /// Its bytes equal those of the typed values' delta.
  ///
  /// - Returns: Nil if both have the same encoding.
  /// - Throws: A `CodecError` if a value does not match the schema.
  func delta(
    from old: GenericValue,
    in document: SchemaDocument,
  ) throws(CodecError) -> [UInt8]? {
    var encoder = CBOREncoder()
    let isWritten = try encodeDelta(from: old, schema: document.root, in: document, to: &encoder)
    return isWritten ? encoder.bytes : nil
  }

  /// Writes the delta from `old` to this value, both of a schema.
  ///
  /// - Returns: False if both have the same encoding; then no bytes are written.
  /// - Throws: A `CodecError` if a value does not match the schema.
  private func encodeDelta(
    from old: GenericValue,
    schema: Schema,
    in document: SchemaDocument,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) -> Bool {
    guard self != old else { return false }
    try GenericDifference(document: document).encode(self, from: old, schema, to: &encoder)
    return true
  }
}

/// The twin of typed values: writes deltas between different generic values, in the bytes of typed
/// values.
struct GenericDifference {
  let document: SchemaDocument

  func encode(
    _ new: GenericValue,
    from old: GenericValue,
    _ schema: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    switch (schema, old, new) {
    case (.optional(let wrapped), _, _):
      try encodeOptional(new, from: old, wrapped, to: &encoder)
    case (.array(let element), .array(let old), .array(let new)):
      try encodeArray(new.plain, from: old.plain, element, to: &encoder)
    case (.set, .set(let old), .set(let new)):
      encodeSet(new, from: old, to: &encoder)
    case (.dictionary(_, let content), .map(let old), .map(let new)):
      try encodeDictionary(new, from: old, content, to: &encoder)
    case (.identified(let field, _, let element), .array(let old), .array(let new)):
      let rows = try GenericRowDifference(old: old.plain, new: new.plain, field: field)
      try rows.encode(element, self, to: &encoder)
    case (.named(let name), _, _):
      try encodeNamed(new, from: old, name, to: &encoder)
    case (.text, .text(var old), .text(var new)):
      new.withUTF8 { new in
        old.withUTF8 { encoder.encodeSplice(from: $0, to: new, isText: true) }
      }
    case (.bytes, .bytes(let old), .bytes(let new)):
      new.withUnsafeBufferPointer { new in
        old.withUnsafeBufferPointer { encoder.encodeSplice(from: $0, to: new, isText: false) }
      }
    case (.array, _, _), (.set, _, _), (.dictionary, _, _), (.identified, _, _), (.text, _, _),
      (.bytes, _, _):
      throw misfit(schema)
    default:
      new.encode(to: &encoder)
    }
  }

  private func misfit(_ schema: Schema) -> CodecError {
    CodecError(.typeMismatch, "expected two values of \(schema)")
  }

  private func encodeOptional(
    _ new: GenericValue,
    from old: GenericValue,
    _ wrapped: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    guard let content = try content(new, wrapped) else { return encoder.encodeNull() }
    encoder.arrayHeader(2)
    if let before = try self.content(old, wrapped) {
      encoder.encode(unsigned: 1)
      try encode(content, from: before, wrapped, to: &encoder)
    } else {
      encoder.encode(unsigned: 0)
      content.encode(to: &encoder)
    }
  }

  /// The value of an optional.
  private func content(
    _ value: GenericValue,
    _ wrapped: Schema,
  ) throws(CodecError) -> GenericValue? {
    if case .null = value { return nil }
    guard wrapped.admitsNull else { return value }
    guard case .array(let items) = value, items.count == 1 else { throw misfit(.optional(wrapped)) }
    return items[0]
  }

  private func encodeNamed(
    _ new: GenericValue,
    from old: GenericValue,
    _ name: String,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    switch document.definitions[name] {
    case .record(let fields):
      try encodeFields(new, from: old, fields, to: &encoder)
    case .choice(let cases):
      guard let before = old.caseAndPayload, let after = new.caseAndPayload else {
        throw misfit(.named(name))
      }
      encoder.arrayHeader(2)
      guard let payload = after.payload, let oldPayload = before.payload,
        let index = cases.firstIndex(where: { $0.name._$isSame(as: after.name) }),
        before.name._$isSame(as: after.name)
      else {
        encoder.encode(unsigned: 0)
        return new.encode(to: &encoder)
      }
      encoder.encode(unsigned: UInt64(index) + 1)
      try encodeFields(payload, from: oldPayload, cases[index].payload, to: &encoder)
    case nil:
      throw CodecError(.malformedSchema, "\"\(name)\" is not defined")
    }
  }

  private func encodeFields(
    _ new: GenericValue,
    from old: GenericValue,
    _ fields: [Definition.Field],
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    let map = encoder.beginDeferredMap()
    var count = 0
    for (index, field) in fields.enumerated() {
      guard let after = new[field: field.name], let before = old[field: field.name] else {
        throw CodecError(.missingField, "the field \"\(field.name)\" is missing")
      }
      guard after != before else { continue }
      encoder.encode(unsigned: UInt64(index))
      do throws(CodecError) {
        try encode(after, from: before, field.schema, to: &encoder)
      } catch {
        throw error.inside(.name(field.name))
      }
      count += 1
    }
    encoder.endDeferredMap(map, count: count)
  }

  private func encodeArray(
    _ new: [GenericValue],
    from old: [GenericValue],
    _ element: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    let shared = Swift.min(old.count, new.count)
    var prefix = 0
    while prefix < shared, new[prefix] == old[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < shared - prefix,
      new[new.count - 1 - suffix] == old[old.count - 1 - suffix]
    {
      suffix += 1
    }
    if new.count == old.count, prefix + suffix == new.count - 1 {
      encoder.arrayHeader(2)
      encoder.encode(unsigned: UInt64(prefix))
      try encode(new[prefix], from: old[prefix], element, to: &encoder)
    } else {
      encoder.arrayHeader(3)
      encoder.encode(unsigned: UInt64(prefix))
      encoder.encode(unsigned: UInt64(old.count - prefix - suffix))
      encoder.arrayHeader(new.count - prefix - suffix)
      for item in new[prefix..<(new.count - suffix)] { item.encode(to: &encoder) }
    }
  }

  private func encodeSet(
    _ new: [GenericValue],
    from old: [GenericValue],
    to encoder: inout CBOREncoder,
  ) {
    let (before, after) = (Set(old), Set(new))
    var changes = SortedItems()
    for element in old where !after.contains(element) {
      changes.add(to: 0) { element.encode(to: &$0) }
    }
    for element in new where !before.contains(element) {
      changes.add(to: 1) { element.encode(to: &$0) }
    }
    _ = encoder.encodeChanges(changes, itemsEach: [1, 1])
  }

  private func encodeDictionary(
    _ new: [GenericValue.Entry],
    from old: [GenericValue.Entry],
    _ content: Schema,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    let before = Dictionary(old.map { ($0.key, $0.value) }) { first, _ in first }
    let after = Set(new.map(\.key))
    var changes = SortedItems()
    for entry in old where !after.contains(entry.key) {
      changes.add(to: 0) { entry.key.encode(to: &$0) }
    }
    for entry in new {
      guard let value = before[entry.key] else {
        changes.add(to: 1, entry.key, entry.value.encoded())
        continue
      }
      guard value != entry.value else { continue }
      var delta = CBOREncoder()
      try encode(entry.value, from: value, content, to: &delta)
      changes.add(to: 2, entry.key, delta.bytes)
    }
    _ = encoder.encodeChanges(changes, itemsEach: [1, 2, 2])
  }
}

extension SortedItems {
  /// Adds an entry with an encoded value or delta.
  mutating func add(to list: Int, _ key: GenericValue, _ item: [UInt8]) {
    add(to: list) {
      key.encode(to: &$0)
    } value: {
      $0.append(raw: item)
    }
  }
}
