extension CBORDecoder {
  /// Reads an integer of zero or more.
  public mutating func unsigned() throws(CodecError) -> UInt64 {
    try beginItem()
    return try argument("an integer of 0 or more", .unsigned)
  }

  /// Reads an integer that fits into 64 bits with a sign.
  public mutating func signed() throws(CodecError) -> Int64 {
    try beginItem()
    let isNegative = position < bytes.endIndex && bytes[position] >> 5 == CBORKind.negative.major
    let start = offset
    guard
      let value = Int64(exactly: try argument("an integer", isNegative ? .negative : .unsigned))
    else {
      throw CodecError(
        .outOfRange,
        "the integer does not fit into 64 bits with a sign",
        offset: start,
      )
    }
    return isNegative ? ~value : value
  }

  /// Reads an integer below zero as `n`, where the integer is `-1 - n`.
  package mutating func negative() throws(CodecError) -> UInt64 {
    try beginItem()
    return try argument("a negative integer", .negative)
  }

  /// Reads a float of any precision.
  public mutating func double() throws(CodecError) -> Double {
    try beginItem()
    return try floatContent().value
  }

  /// Reads a float of half or single precision.
  public mutating func float() throws(CodecError) -> Float {
    try beginItem()
    let start = offset
    let (value, width) = try floatContent()
    guard width <= 26 else {
      throw CodecError(
        .outOfRange,
        "the float \(value) does not fit into 32 bits",
        offset: start,
      )
    }
    return Float(value)
  }

  /// Reads a float of half precision.
  package mutating func half() throws(CodecError) -> Float {
    try beginItem()
    let start = offset
    let (value, width) = try floatContent()
    guard width == 25 else {
      throw CodecError(
        .outOfRange,
        "the float \(value) does not fit into 16 bits",
        offset: start,
      )
    }
    return Float(value)
  }

  /// Reads false or true.
  public mutating func bool() throws(CodecError) -> Bool {
    try beginItem()
    guard position < bytes.endIndex, bytes[position] | 1 == CBOR.true else {
      throw mismatch("a bool")
    }
    position += 1
    return bytes[position - 1] == CBOR.true
  }

  /// Reads null if it is the next item; otherwise the decoder does not move.
  public mutating func nullIfPresent() throws(CodecError) -> Bool {
    guard position < bytes.endIndex, bytes[position] == CBOR.null else { return false }
    try beginItem()
    position += 1
    return true
  }

  /// Reads null.
  public mutating func null() throws(CodecError) {
    guard try nullIfPresent() else {
      throw error(.typeMismatch, "expected null, found \(foundText())")
    }
  }

  /// Reads a text string.
  public mutating func text() throws(CodecError) -> String {
    try beginItem()
    let range = try contentRange("text", .text)
    let first = bytes.startIndex
    let text = bytes.withUnsafeBufferPointer { all in
      let part = all[(range.lowerBound - first)..<(range.upperBound - first)]
      let content = UnsafeBufferPointer(rebasing: part)
      return UTF8Validation.firstError(in: content) == nil
        ? String(decoding: content, as: UTF8.self) : nil
    }
    guard let text else { throw invalidText(bytes[range]) }
    return text
  }

  /// Reads a byte string.
  public mutating func byteString() throws(CodecError) -> [UInt8] {
    Array(try byteSlice())
  }

  /// Reads a byte string as a slice of the decoder's bytes.
  public mutating func byteSlice() throws(CodecError) -> ArraySlice<UInt8> {
    try beginItem()
    return bytes[try contentRange("bytes", .bytes)]
  }

  /// Reads the header of an array and returns the number of items that follow.
  ///
  /// The count is never greater than the number of bytes that are left.
  public mutating func arrayHeader() throws(CodecError) -> Int {
    if isInsideTag { return try enterSet() }
    try beginItem()
    return try enterArray(.array)
  }

  /// Reads the header of a map and returns the number of key-value pairs that follow.
  ///
  /// The count is never greater than half the number of bytes that are left.
  public mutating func mapHeader() throws(CodecError) -> Int {
    try beginItem()
    let start = position
    let count = try count("a map", .map, itemsEach: 2)
    try enter(.map, items: count * 2, headerAt: start)
    return count
  }

  /// Reads the header of a set and returns the number of elements that follow.
  ///
  /// The count is never greater than the number of bytes that are left.
  public mutating func setHeader() throws(CodecError) -> Int {
    guard try tag() == CBOR.setTag else {
      throw error(.typeMismatch, "expected a set")
    }
    return try enterSet()
  }

  /// Reads a tag; its content is the next item.
  ///
  /// The protocol has one tag, 258 for sets, whose content is an array; any other tag throws.
  /// `setHeader()` reads the tag and the array's header.
  public mutating func tag() throws(CodecError) -> UInt64 {
    try beginItem()
    let start = offset
    let tag = try argument("a set (tag 258)", .tag)
    guard tag == CBOR.setTag else {
      throw CodecError(
        .unsupported,
        "found tag \(tag); 258 (a set) is the only one allowed",
        offset: start,
      )
    }
    isInsideTag = true
    return tag
  }

  /// Reads the given encoding if the next bytes equal it; otherwise the decoder does not move.
  ///
  /// The encoding is one whole item in deterministic form, such as a field's name. Callers must ask
  /// for the keys of one map in ascending order.
  package mutating func readIfPresent(_ item: [UInt8]) throws(CodecError) -> Bool {
    try item.withUnsafeBufferPointer { (item) throws(CodecError) in try readIfPresent(item) }
  }

  private mutating func readIfPresent(
    _ item: UnsafeBufferPointer<UInt8>
  ) throws(CodecError) -> Bool {
    guard hasNext(item, behind: 0) else { return false }
    let end = position + item.count
    try beginExpectedItem()
    position = end
    return true
  }

  /// Whether the given bytes follow the next `count` bytes.
  @inline(__always)
  package func hasNext(_ item: UnsafeBufferPointer<UInt8>, behind count: Int) -> Bool {
    guard bytes.endIndex - position >= count + item.count else { return false }
    let start = position + count - bytes.startIndex
    return bytes.withUnsafeBufferPointer {
      memoryIsEqual(UnsafeBufferPointer(rebasing: $0[start..<(start + item.count)]), item)
    }
  }
}

// MARK: - Parts

extension CBORDecoder {
  /// Reads the array after the tag of a set.
  private mutating func enterSet() throws(CodecError) -> Int {
    isInsideTag = false
    return try enterArray(.set)
  }

  private mutating func enterArray(_ kind: Frame.Kind) throws(CodecError) -> Int {
    let start = position
    let count = try count("an array", .array, itemsEach: 1)
    try enter(kind, items: count, headerAt: start)
    return count
  }

  /// Reads the header of a text or byte string and returns the range of its bytes.
  mutating func contentRange(
    _ expected: StaticString,
    _ kind: CBORKind,
  ) throws(CodecError) -> Range<Int> {
    let header = offset
    let count = try argument(expected, kind)
    let left = bytes.endIndex - position
    guard count <= UInt64(left) else {
      throw CodecError(
        .truncated,
        "\(kind) of \(count) bytes announced, \(left) bytes left",
        offset: header,
      )
    }
    let start = position
    position += Int(count)
    return start..<position
  }

  /// Reads the number of a container's items; each item has at least one byte.
  @inline(__always)
  private mutating func count(
    _ expected: StaticString,
    _ kind: CBORKind,
    itemsEach items: Int,
  ) throws(CodecError) -> Int {
    let start = offset
    let count = try argument(expected, kind)
    let left = bytes.endIndex - position
    guard count <= UInt64(left / items) else {
      throw CodecError(
        .truncated,
        "\(kind) of \(count) announced, \(left) bytes left",
        offset: start,
      )
    }
    return Int(count)
  }

  func invalidText(_ content: ArraySlice<UInt8>) -> CodecError {
    let place = content.withUnsafeBufferPointer { UTF8Validation.firstError(in: $0) } ?? 0
    return CodecError(
      .invalidText,
      "the text is not UTF-8",
      offset: content.startIndex + place - bytes.startIndex,
    )
  }

  /// Reads a float and checks that it has its shortest form.
  mutating func floatContent() throws(CodecError) -> (value: Double, width: UInt8) {
    let start = offset
    let (pattern, width) = try floatHeader()
    let (value, isShortest) = FloatPattern.value(of: pattern, width: width)
    guard isShortest else {
      throw CodecError(
        .notCanonical,
        "the float \(value) is not written in its shortest form",
        offset: start,
      )
    }
    return (value, width)
  }
}
