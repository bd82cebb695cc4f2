/// An item without a schema, as the step between a `Codable` value and its bytes.
enum CodableItem: Sendable {
  case null
  case bool(Bool)
  case unsigned(UInt64)
  /// The integer -1 - n.
  case negative(UInt64)
  case float(Double)
  case text(String)
  case array([CodableItem])
  case map([String: CodableItem])
}

extension CodableItem {
  init(_ integer: some BinaryInteger & SignedInteger) {
    let value = Int64(integer)
    self = value >= 0 ? .unsigned(UInt64(value)) : .negative(UInt64(bitPattern: ~value))
  }

  /// An integer of 128 bits by its halves, in the same form as without `Codable`.
  init(wide integer: Int128) {
    self = .array([
      CodableItem(Int64(truncatingIfNeeded: integer >> 64)),
      .unsigned(UInt64(truncatingIfNeeded: integer)),
    ])
  }

  /// An integer of 128 bits by its halves, in the same form as without `Codable`.
  init(wide integer: UInt128) {
    self = .array([
      .unsigned(UInt64(truncatingIfNeeded: integer >> 64)),
      .unsigned(UInt64(truncatingIfNeeded: integer)),
    ])
  }

  func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .null: encoder.encodeNull()
    case .bool(let value): encoder.encode(bool: value)
    case .unsigned(let value): encoder.encode(unsigned: value)
    case .negative(let value): encoder.encode(negative: value)
    case .float(let value): encoder.encode(double: value)
    case .text(let value): encoder.encode(text: value)
    case .array(let items):
      encoder.arrayHeader(items.count)
      for item in items { item.encode(to: &encoder) }
    case .map(let entries):
      var items = SortedItems()
      for (key, item) in entries {
        items.add {
          $0.encode(text: key)
        } value: {
          item.encode(to: &$0)
        }
      }
      items.writeMap(to: &encoder)
    }
  }

  var encoded: [UInt8] {
    var encoder = CBOREncoder()
    encode(to: &encoder)
    return encoder.bytes
  }

  /// Reads an item; the decoder limits its depth.
  init(from decoder: inout CBORDecoder) throws(CodecError) {
    switch try decoder.peekKind() {
    case .null:
      try decoder.null()
      self = .null
    case .bool: self = .bool(try decoder.bool())
    case .unsigned: self = .unsigned(try decoder.unsigned())
    case .negative: self = .negative(try decoder.negative())
    case .float: self = .float(try decoder.double())
    case .text: self = .text(try decoder.text())
    case .array: self = .array(try Self.items(from: &decoder))
    case .map: self = .map(try Self.entries(from: &decoder))
    case .bytes, .tag:
      throw decoder.error(
        .typeMismatch,
        "expected what a Codable type writes, found \(decoder.foundText())",
      )
    }
  }

  private static func items(from decoder: inout CBORDecoder) throws(CodecError) -> [CodableItem] {
    var items: [CodableItem] = []
    for index in 0..<(try decoder.arrayHeader()) {
      do throws(CodecError) {
        items.append(try CodableItem(from: &decoder))
      } catch {
        throw error.inside(.index(index))
      }
    }
    return items
  }

  private static func entries(
    from decoder: inout CBORDecoder
  ) throws(CodecError) -> [String: CodableItem] {
    var entries: [String: CodableItem] = [:]
    for _ in 0..<(try decoder.mapHeader()) {
      let start = decoder.offset
      let key = try decoder.text()
      let item: CodableItem
      do throws(CodecError) {
        item = try CodableItem(from: &decoder)
      } catch {
        throw error.inside(.name(key))
      }
      guard entries.updateValue(item, forKey: key) == nil else {
        throw CodecError(.outOfRange, "the key \(key) equals another one", offset: start)
      }
    }
    return entries
  }

  /// The kind in the words of an error message.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a bool"
    case .unsigned, .negative: "an integer"
    case .float: "a float"
    case .text: "a text"
    case .array: "an array"
    case .map: "a map"
    }
  }
}
