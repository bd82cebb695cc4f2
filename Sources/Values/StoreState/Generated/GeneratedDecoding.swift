/// What generated code calls to read a value.
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

  /// Stands for a value that the schema has refused at compile time.
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

  /// Takes a value that the schema has refused at compile time.
  public mutating func _$apply<Part>(
    to part: inout Part,
    of name: StaticString,
  ) throws(CodecError) {}

  /// Reads which of a record's fields changes.
  public mutating func _$fieldPlace(below count: Int) throws(CodecError) -> Int {
    try place(below: count, "field")
  }

  /// The error for a change inside of a case that has no inside.
  public func _$noPayload(in name: StaticString) -> CodecError {
    error(.deltaMismatch, "the case has no payload that could change").inside(.name("\(name)"))
  }

  /// Reads a name of the program's own source when it stands next; else stays where it is.
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
