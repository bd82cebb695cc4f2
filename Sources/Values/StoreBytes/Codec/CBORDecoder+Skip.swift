extension CBORDecoder {
  /// Reads one item of any kind and checks all of it.
  public mutating func skipItem() throws(CodecError) {
    if let end = endOfShortItem() {
      try beginItem()
      position = end
      return
    }
    try leaveFinishedContainers()
    let depth = depth
    try skipHead()
    while true {
      // Also leaves the containers that ended with the item, and checks their order.
      while self.depth > depth, frame.remaining == 0 { try leaveOneContainer() }
      guard self.depth > depth else { return }
      try skipHead()
    }
  }

  /// Reads one item of any kind, checks all of it and returns its bytes.
  public mutating func rawItem() throws(CodecError) -> ArraySlice<UInt8> {
    let start = position
    try skipItem()
    return bytes[start..<position]
  }

  /// Reads a simple item, or a container's header.
  private mutating func skipHead() throws(CodecError) {
    switch try peekKind() {
    case .unsigned: _ = try unsigned()
    case .negative: _ = try negative()
    case .bytes: _ = try byteSlice()
    case .text: try skipText()
    case .array: _ = try arrayHeader()
    case .map: _ = try mapHeader()
    case .tag: _ = try setHeader()
    case .bool: _ = try bool()
    case .null: try null()
    case .float: _ = try double()
    }
  }

  private mutating func skipText() throws(CodecError) {
    try beginItem()
    let range = try contentRange("text", .text)
    let isValid = bytes[range].withUnsafeBufferPointer { UTF8Validation.firstError(in: $0) == nil }
    guard isValid else { throw invalidText(bytes[range]) }
  }

  /// The end of the next item, if it is short, as most actions and deltas are, and certainly valid;
  /// nil if it needs the full check.
  ///
  /// This check records no containers. It counts the items that are left. The only maps that it
  /// accepts have one entry, so there is no order to check. That takes a third of the time.
  private func endOfShortItem() -> Int? {
    guard !isInsideTag, depth + Self.mostShortContainers <= CBOR.maximumDepth else { return nil }
    let place = position - bytes.startIndex
    let length = bytes.withUnsafeBufferPointer {
      Self.lengthOfShortItem(UnsafeBufferPointer(rebasing: $0[place...]))
    }
    return length.map { position + $0 }
  }

  /// The limits of a short item: its arrays and maps, and the bytes of a text in it.
  private static let (mostShortContainers, mostShortBytes) = (8, 64)

  private static func lengthOfShortItem(_ all: UnsafeBufferPointer<UInt8>) -> Int? {
    var (place, items, containers) = (0, 1, 0)
    while items > 0 {
      guard place < all.count else { return nil }
      let first = all[place]
      var argument = Int(first & 0x1f)
      place += 1
      items -= 1
      if argument >= 24 {
        guard let (long, count) = longArgument(first, all[place...]) else { return nil }
        argument = long
        place += count
      }
      switch first >> 5 {
      case 0, 1: continue
      case 2, 3:
        guard argument <= min(all.count - place, mostShortBytes),
          first >> 5 == 2 || all[place..<(place + argument)].allSatisfy({ $0 < 0x80 })
        else { return nil }
        place += argument
      case 4:
        containers += 1
        guard containers <= mostShortContainers, argument <= all.count else { return nil }
        items += argument
      case 5:
        containers += 1
        guard containers <= mostShortContainers, argument <= 1 else { return nil }
        items += 2 * argument
      default: guard first == CBOR.null || first | 1 == CBOR.true else { return nil }
      }
    }
    return place
  }

  /// Reads an argument of at most four bytes after an item's first byte, and returns their number.
  private static func longArgument(
    _ first: UInt8,
    _ rest: Slice<UnsafeBufferPointer<UInt8>>,
  ) -> (Int, count: Int)? {
    let width = Int(first & 0x1f)
    guard first >> 5 < 7, width < 27 else { return nil }
    let count = 1 << (width - 24)
    guard rest.count >= count else { return nil }
    let argument = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    return argument >= (count == 1 ? 24 : 1 << (4 * count)) ? (argument, count) : nil
  }
}
