extension CBOREncoder {
  /// Creates an encoder whose bytes are in pieces, so that no large one has to grow.
  ///
  /// A piece ends between two elements of a collection, and so is longer where one element is. What
  /// is written must not be taken back: this is for states, and not for deltas.
  ///
  /// - Parameter bytes: How many bytes make a piece.
  package init(pieces bytes: Int) {
    self.init(reserving: bytes + bytes / 16)
    pieceBytes = bytes
  }

  /// The pieces that were written.
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
