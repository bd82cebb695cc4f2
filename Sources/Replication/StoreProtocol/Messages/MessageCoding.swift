public import StoreState

/// A frame that is not a message, with the place of the fault.
package typealias MessageError = CodecError

extension CBOREncoder {
  package mutating func encode(_ identifier: Identifier) {
    encode(bytes: identifier.high, identifier.low)
  }

  package mutating func encode(optional value: UInt64?) {
    if let value { encode(unsigned: value) } else { encodeNull() }
  }

  package mutating func encode(texts: [String]) {
    arrayHeader(texts.count)
    for text in texts { encode(text: text) }
  }

  /// Opens a message: an array of the kind and `count` more elements.
  package mutating func message(_ kind: UInt64, _ count: Int) {
    arrayHeader(count + 1)
    encode(unsigned: kind)
  }
}

extension CBORDecoder {
  package mutating func identifier() throws(CodecError) -> Identifier {
    let bytes = try byteString()
    guard let identifier = Identifier(bytes: bytes) else {
      throw error(.typeMismatch, "expected 16 bytes, found \(bytes.count)")
    }
    return identifier
  }

  package mutating func topic() throws(CodecError) -> Topic {
    let bytes = try byteString()
    guard let topic = Topic(bytes: bytes) else {
      throw error(.typeMismatch, "expected a topic of 17 bytes, found \(bytes.count) bytes")
    }
    return topic
  }

  package mutating func optionalUnsigned() throws(CodecError) -> UInt64? {
    try nullIfPresent() ? nil : try unsigned()
  }

  package mutating func texts() throws(CodecError) -> [String] {
    try list { (d) throws(CodecError) in try d.text() }
  }

  /// Opens a message and returns its kind and the number of elements that follow it.
  package mutating func message() throws(CodecError) -> (kind: UInt64, rest: Int) {
    let count = try arrayHeader()
    guard count >= 1 else {
      throw error(.typeMismatch, "expected a message, found an empty array")
    }
    return (try unsigned(), count - 1)
  }

  /// Checks that a message has the elements that its kind needs.
  ///
  /// - Returns: `count`.
  @discardableResult
  package func require(_ count: Int, of rest: Int, _ name: StaticString) throws(CodecError) -> Int {
    guard rest >= count else {
      throw error(.typeMismatch, "expected \(count) elements in \(name), found \(rest)")
    }
    return count
  }

  /// Skips the elements that a newer peer has added.
  package mutating func skipItems(_ count: Int) throws(CodecError) {
    for _ in 0..<max(0, count) { try skipItem() }
  }

  @inlinable package mutating func list<Element>(
    _ element: (inout CBORDecoder) throws(CodecError) -> Element
  ) throws(CodecError) -> [Element] {
    let count = try arrayHeader()
    var elements: [Element] = []
    // A header promises no more items than there are bytes. Beyond 256 the array grows with them.
    elements.reserveCapacity(min(count, 256))
    for _ in 0..<count { elements.append(try element(&self)) }
    return elements
  }
}
