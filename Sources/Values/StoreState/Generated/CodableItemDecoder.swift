/// Decodes a value's `init(from:)` from an item.
struct ItemDecoder: Decoder {
  let item: CodableItem
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .map(let entries) = item else { throw mismatch("a map") }
    return KeyedDecodingContainer(ItemKeyedDecoding<Key>(entries: entries, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let items) = item else { throw mismatch("an array") }
    return ItemUnkeyedDecoding(items: items, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func mismatch(_ expected: String) -> DecodingError {
    DecodingError.typeMismatch(
      Any.self,
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription: "expected \(expected), found \(item.kind)",
      ),
    )
  }

  /// The text of an error, with its place.
  static func text(of error: any Error) -> String {
    let context: DecodingError.Context
    switch error {
    case DecodingError.typeMismatch(_, let found): context = found
    case DecodingError.valueNotFound(_, let found): context = found
    case DecodingError.keyNotFound(let key, let found):
      return text("the key \"\(key.stringValue)\" is missing", at: found.codingPath)
    case DecodingError.dataCorrupted(let found): context = found
    default: return "\(error)"
    }
    return text(context.debugDescription, at: context.codingPath)
  }

  private static func text(_ message: String, at path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return message }
    return "\(message), at \(path.map(\.stringValue).joined(separator: "."))"
  }
}

// MARK: - Single values

extension ItemDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    if case .null = item { true } else { false }
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .bool(let value) = item else { throw mismatch("a bool") }
    return value
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .text(let value) = item else { throw mismatch("a text") }
    return value
  }

  func decode(_ type: Double.Type) throws -> Double {
    guard case .float(let value) = item else { throw mismatch("a float") }
    return value
  }

  func decode(_ type: Float.Type) throws -> Float {
    let value = try decode(Double.self)
    guard value.isNaN || Double(Float(value)) == value else {
      throw mismatch("a float of 32 bits")
    }
    return Float(value)
  }

  func decode(_ type: Int.Type) throws -> Int { try integer() }

  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }

  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }

  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }

  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }

  func decode(_ type: UInt.Type) throws -> UInt { try integer() }

  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }

  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }

  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }

  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  func decode(_ type: Int128.Type) throws -> Int128 {
    let (upper, lower) = try halves()
    return Int128(try upper.decode(Int64.self)) << 64 | Int128(try lower.decode(UInt64.self))
  }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    let (upper, lower) = try halves()
    return UInt128(try upper.decode(UInt64.self)) << 64 | UInt128(try lower.decode(UInt64.self))
  }

  /// The upper and the lower half of an integer of 128 bits.
  private func halves() throws -> (upper: ItemDecoder, lower: ItemDecoder) {
    guard case .array(let items) = item, items.count == 2 else {
      throw mismatch("an integer of 128 bits")
    }
    return (
      ItemDecoder(item: items[0], codingPath: codingPath),
      ItemDecoder(item: items[1], codingPath: codingPath),
    )
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try Value(from: self)
  }

  private func integer<Value: FixedWidthInteger>() throws -> Value {
    let value: Value?
    switch item {
    case .unsigned(let number): value = Value(exactly: number)
    case .negative(let complement):
      value = Int64(exactly: complement).flatMap { Value(exactly: ~$0) }
    default: throw mismatch("an integer")
    }
    guard let value else { throw mismatch("an integer from \(Value.min) to \(Value.max)") }
    return value
  }
}

// MARK: - Containers

private struct ItemKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let entries: [String: CodableItem]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { entries.keys.sorted().compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { entries[key.stringValue] != nil }

  private func decoder(_ key: some CodingKey) throws -> ItemDecoder {
    guard let item = entries[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(codingPath: codingPath, debugDescription: "the key is missing"),
      )
    }
    return ItemDecoder(item: item, codingPath: codingPath + [key])
  }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try decoder(key).decode(type)
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decoder(key).decode(type)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decoder(key).decode(type)
  }

  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try decoder(key).decode(type)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try decoder(key).decode(type)
  }

  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try decoder(key).decode(type)
  }

  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try decoder(key).decode(type)
  }

  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try decoder(key).decode(type)
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try decoder(key).decode(type)
  }

  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try decoder(key).decode(type)
  }

  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try decoder(key).decode(type)
  }

  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try decoder(key).decode(type)
  }

  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try decoder(key).decode(type)
  }

  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try decoder(key).decode(type)
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try decoder(key).decode(type)
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try decoder(key).decode(type)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key,
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder(ItemKey.super) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct ItemUnkeyedDecoding: UnkeyedDecodingContainer {
  let items: [CodableItem]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(items: [CodableItem], codingPath: [any CodingKey]) {
    self.items = items
    self.codingPath = codingPath
  }

  var count: Int? { items.count }
  var isAtEnd: Bool { currentIndex >= items.count }

  /// Advances only if `body` could read the element, as the protocol requires.
  private mutating func next<Value>(_ body: (ItemDecoder) throws -> Value) throws -> Value {
    let path = codingPath + [ItemKey(index: currentIndex)]
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        Value.self,
        DecodingError.Context(
          codingPath: path,
          debugDescription: "the array has \(items.count) elements, and another one was expected",
        ),
      )
    }
    let value = try body(ItemDecoder(item: items[currentIndex], codingPath: path))
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, case .null = items[currentIndex] else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: String.Type) throws -> String {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: Float.Type) throws -> Float {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: Int.Type) throws -> Int {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: Int8.Type) throws -> Int8 {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: Int16.Type) throws -> Int16 {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: Int32.Type) throws -> Int32 {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: Int64.Type) throws -> Int64 {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: UInt.Type) throws -> UInt {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    try next { try $0.decode(type) }
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    try next { try $0.decode(type) }
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next { try $0.decode(type) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
