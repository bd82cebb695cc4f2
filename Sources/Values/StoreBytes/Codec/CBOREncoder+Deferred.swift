extension CBOREncoder {
  /// A place in the bytes to which the encoder can return.
  public struct Mark: Hashable, Sendable {
    let offset: Int

    /// The place before the first byte.
    package static let start = Mark(offset: 0)
  }

  /// The place after the last byte.
  public var mark: Mark { Mark(offset: count) }

  /// Removes all bytes that were written since `mark`.
  public mutating func truncate(to mark: Mark) {
    buffer.removeAll(behind: mark.offset)
  }

  /// Begins a map whose count is known only when its last entry has been written.
  ///
  /// - Returns: The mark for `endDeferredMap`.
  public mutating func beginDeferredMap() -> Mark {
    buffer.append(CBOR.map)
    return Mark(offset: count - 1)
  }

  /// Writes the number of entries into the header of the map that began at `mark`.
  public mutating func endDeferredMap(_ mark: Mark, count: Int) {
    endDeferred(CBOR.map, mark, count: count)
  }

  /// Begins an array whose count is known only when its last element has been written.
  ///
  /// - Returns: The mark for `endDeferredArray`.
  public mutating func beginDeferredArray() -> Mark {
    buffer.append(CBOR.array)
    return Mark(offset: count - 1)
  }

  /// Writes the number of elements into the header of the array that began at `mark`.
  public mutating func endDeferredArray(_ mark: Mark, count: Int) {
    endDeferred(CBOR.array, mark, count: count)
  }

  private mutating func endDeferred(_ major: UInt8, _ mark: Mark, count: Int) {
    precondition(
      count >= 0 && mark.offset < self.count && buffer[mark.offset] == major,
      "No deferred container of \(count) items begins at byte \(mark.offset).",
    )
    if count <= 23 {
      buffer[mark.offset] = major | UInt8(count)
    } else {
      var header = CBOREncoder()
      header.header(major, UInt64(count))
      buffer[mark.offset] = header.buffer[0]
      header.withBytes {
        buffer.insert(UnsafeBufferPointer(rebasing: $0.dropFirst()), at: mark.offset + 1)
      }
    }
  }
}
