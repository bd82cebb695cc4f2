extension CBOREncoder {
  /// A place in the bytes to which the encoder can return.
  public struct Mark: Hashable, Sendable {
    let offset: Int
  }

  /// The place after the last byte.
  public var mark: Mark { Mark(offset: bytes.count) }

  /// Takes back everything that was written since `mark`.
  public mutating func truncate(to mark: Mark) {
    precondition(
      mark.offset <= bytes.count,
      "The mark at byte \(mark.offset) is behind the last of \(bytes.count) bytes.",
    )
    storage.removeLast(bytes.count - mark.offset)
  }

  /// Begins a map whose count is known only when its last entry has been written.
  ///
  /// - Returns: What `endDeferredMap` needs.
  public mutating func beginDeferredMap() -> Mark {
    storage.append(CBOR.map)
    return Mark(offset: bytes.count - 1)
  }

  /// Says how many entries were written since the map began at `mark`.
  public mutating func endDeferredMap(_ mark: Mark, count: Int) {
    endDeferred(CBOR.map, mark, count: count)
  }

  /// Begins an array whose count is known only when its last element has been written.
  ///
  /// - Returns: What `endDeferredArray` needs.
  public mutating func beginDeferredArray() -> Mark {
    storage.append(CBOR.array)
    return Mark(offset: bytes.count - 1)
  }

  /// Says how many elements were written since the array began at `mark`.
  public mutating func endDeferredArray(_ mark: Mark, count: Int) {
    endDeferred(CBOR.array, mark, count: count)
  }

  private mutating func endDeferred(_ major: UInt8, _ mark: Mark, count: Int) {
    precondition(
      count >= 0 && mark.offset < bytes.count && bytes[mark.offset] == major,
      "No deferred container of \(count) items begins at byte \(mark.offset).",
    )
    if count <= 23 {
      storage[mark.offset] = major | UInt8(count)
    } else {
      var header = CBOREncoder()
      header.header(major, UInt64(count))
      storage.replaceSubrange(mark.offset...mark.offset, with: header.bytes)
    }
  }
}
