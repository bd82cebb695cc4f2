/// Containers into which a value's `encode(to:)` writes.
struct ItemKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ItemEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil(forKey key: Key) { encoder.child(key).set(.null) }

  mutating func encode(_ value: Bool, forKey key: Key) { encoder.child(key).set(.bool(value)) }

  mutating func encode(_ value: String, forKey key: Key) { encoder.child(key).set(.text(value)) }

  mutating func encode(_ value: Double, forKey key: Key) { encoder.child(key).set(.float(value)) }

  mutating func encode(_ value: Float, forKey key: Key) {
    encoder.child(key).set(.float(Double(value)))
  }

  mutating func encode(_ value: Int, forKey key: Key) { encoder.child(key).set(CodableItem(value)) }

  mutating func encode(_ value: Int8, forKey key: Key) {
    encoder.child(key).set(CodableItem(value))
  }

  mutating func encode(_ value: Int16, forKey key: Key) {
    encoder.child(key).set(CodableItem(value))
  }

  mutating func encode(_ value: Int32, forKey key: Key) {
    encoder.child(key).set(CodableItem(value))
  }

  mutating func encode(_ value: Int64, forKey key: Key) {
    encoder.child(key).set(CodableItem(value))
  }

  mutating func encode(_ value: UInt, forKey key: Key) {
    encoder.child(key).set(.unsigned(UInt64(value)))
  }

  mutating func encode(_ value: UInt8, forKey key: Key) {
    encoder.child(key).set(.unsigned(UInt64(value)))
  }

  mutating func encode(_ value: UInt16, forKey key: Key) {
    encoder.child(key).set(.unsigned(UInt64(value)))
  }

  mutating func encode(_ value: UInt32, forKey key: Key) {
    encoder.child(key).set(.unsigned(UInt64(value)))
  }

  mutating func encode(_ value: UInt64, forKey key: Key) {
    encoder.child(key).set(.unsigned(UInt64(value)))
  }

  mutating func encode(_ value: Int128, forKey key: Key) {
    encoder.child(key).set(CodableItem(wide: value))
  }

  mutating func encode(_ value: UInt128, forKey key: Key) {
    encoder.child(key).set(CodableItem(wide: value))
  }

  mutating func encode(_ value: some Encodable, forKey key: Key) throws {
    let child = encoder.child(key)
    child.set(try CodableItem.make(from: value, path: child.codingPath))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key,
  ) -> KeyedEncodingContainer<Nested> {
    encoder.child(key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.child(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { encoder.child(ItemKey.super) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder.child(key) }
}

struct ItemUnkeyedEncoding: UnkeyedEncodingContainer {
  let encoder: ItemEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.count }

  mutating func encodeNil() { encoder.nextChild().set(.null) }

  mutating func encode(_ value: Bool) { encoder.nextChild().set(.bool(value)) }

  mutating func encode(_ value: String) { encoder.nextChild().set(.text(value)) }

  mutating func encode(_ value: Double) { encoder.nextChild().set(.float(value)) }

  mutating func encode(_ value: Float) { encoder.nextChild().set(.float(Double(value))) }

  mutating func encode(_ value: Int) { encoder.nextChild().set(CodableItem(value)) }

  mutating func encode(_ value: Int8) { encoder.nextChild().set(CodableItem(value)) }

  mutating func encode(_ value: Int16) { encoder.nextChild().set(CodableItem(value)) }

  mutating func encode(_ value: Int32) { encoder.nextChild().set(CodableItem(value)) }

  mutating func encode(_ value: Int64) { encoder.nextChild().set(CodableItem(value)) }

  mutating func encode(_ value: UInt) { encoder.nextChild().set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: UInt8) { encoder.nextChild().set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: UInt16) { encoder.nextChild().set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: UInt32) { encoder.nextChild().set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: UInt64) { encoder.nextChild().set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: Int128) { encoder.nextChild().set(CodableItem(wide: value)) }

  mutating func encode(_ value: UInt128) { encoder.nextChild().set(CodableItem(wide: value)) }

  mutating func encode(_ value: some Encodable) throws {
    let child = encoder.nextChild()
    child.set(try CodableItem.make(from: value, path: child.codingPath))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    encoder.nextChild().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoder.nextChild().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { encoder.nextChild() }
}

struct ItemSingleEncoding: SingleValueEncodingContainer {
  let encoder: ItemEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() { encoder.set(.null) }

  mutating func encode(_ value: Bool) { encoder.set(.bool(value)) }

  mutating func encode(_ value: String) { encoder.set(.text(value)) }

  mutating func encode(_ value: Double) { encoder.set(.float(value)) }

  mutating func encode(_ value: Float) { encoder.set(.float(Double(value))) }

  mutating func encode(_ value: Int) { encoder.set(CodableItem(value)) }

  mutating func encode(_ value: Int8) { encoder.set(CodableItem(value)) }

  mutating func encode(_ value: Int16) { encoder.set(CodableItem(value)) }

  mutating func encode(_ value: Int32) { encoder.set(CodableItem(value)) }

  mutating func encode(_ value: Int64) { encoder.set(CodableItem(value)) }

  mutating func encode(_ value: UInt) { encoder.set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: UInt8) { encoder.set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: UInt16) { encoder.set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: UInt32) { encoder.set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: UInt64) { encoder.set(.unsigned(UInt64(value))) }

  mutating func encode(_ value: Int128) { encoder.set(CodableItem(wide: value)) }

  mutating func encode(_ value: UInt128) { encoder.set(CodableItem(wide: value)) }

  mutating func encode(_ value: some Encodable) throws {
    encoder.set(try CodableItem.make(from: value, path: encoder.codingPath))
  }
}
