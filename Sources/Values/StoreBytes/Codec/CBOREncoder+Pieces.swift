extension CBOREncoder {
  /// Creates an encoder that divides its bytes into pieces, so no large array must grow.
  ///
  /// A piece ends between two elements of a collection, so a long element makes a longer piece.
  /// Written bytes must not be removed again: use this for states, and not for deltas.
  ///
  /// - Parameter bytes: The size of a piece in bytes.
  package init(pieces bytes: Int) {
    self.init(reserving: bytes + bytes / 16)
    pieceBytes = bytes
  }

  /// The written pieces.
  package var pieces: [[UInt8]] {
    if full.isEmpty { return [bytes] }
    return count == 0 ? full : full + [bytes]
  }

  @usableFromInline
  mutating func endPiece() {
    full.append(bytes)
    buffer.removeAll(behind: 0)
  }
}
