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
    if full.isEmpty { return [storage] }
    return storage.isEmpty ? full : full + [trimmed]
  }

  @usableFromInline
  mutating func endPiece() {
    full.append(trimmed)
    storage = []
    storage.reserveCapacity(pieceBytes + pieceBytes / 16)
  }

  /// The last piece without much room behind it.
  private var trimmed: [UInt8] {
    guard storage.capacity - storage.count > storage.count / 8 else { return storage }
    return storage.withUnsafeBufferPointer { Array($0) }
  }
}
