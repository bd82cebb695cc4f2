/// Calls of generated code that reads a value.
extension CBORDecoder {
  /// Reads a field's value.
  @inlinable
  public mutating func _$value<Part: ReplicatedState>(
    of name: StaticString
  ) throws(CodecError) -> Part {
    do throws(CodecError) {
      return try Part(from: &self)
    } catch {
      throw error.inside(.name("\(name)"))
    }
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func _$value<Part>(of name: StaticString) throws(CodecError) -> Part {
    preconditionFailure("The field \"\(name)\" has no wire form, yet its type was compiled.")
  }

  /// Changes a field.
  @inlinable
  public mutating func _$apply<Part: ReplicatedState>(
    to part: inout Part,
    of name: StaticString,
  ) throws(CodecError) {
    do throws(CodecError) {
      try part.applyDelta(from: &self)
    } catch {
      throw error.inside(.name("\(name)"))
    }
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func _$apply<Part>(
    to part: inout Part,
    of name: StaticString,
  ) throws(CodecError) {}

  /// Reads the index of the record's field that changes.
  public mutating func _$fieldPlace(below count: Int) throws(CodecError) -> Int {
    try place(below: count, "field")
  }

  /// The error for a change inside of a case without a payload.
  public func _$noPayload(in name: StaticString) -> CodecError {
    error(.deltaMismatch, "the case has no payload that could change").inside(.name("\(name)"))
  }

  /// Reads a literal name if it is the next item; otherwise the decoder does not move.
  mutating func readIfPresent(name: StaticString) throws(CodecError) -> Bool {
    let count = name.utf8CodeUnitCount
    guard count < 24, name.hasPointerRepresentation else {
      return try readIfPresent("\(name)".encoded())
    }
    guard position < bytes.endIndex, bytes[position] == CBOR.text | UInt8(count),
      hasNext(UnsafeBufferPointer(start: name.utf8Start, count: count), behind: 1)
    else { return false }
    let end = position + 1 + count
    try beginExpectedItem()
    position = end
    return true
  }
}
