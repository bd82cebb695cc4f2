extension CBORDecoder {
  /// Reads one item, whatever it is, and checks all of it.
  public mutating func skipItem() throws(CodecError) {
    try leaveFinishedContainers()
    let depth = depth
    try skipHead()
    while true {
      // Also leaves the containers that the item ended in, which checks the order in them.
      while self.depth > depth, frame.remaining == 0 { try leaveOneContainer() }
      guard self.depth > depth else { return }
      try skipHead()
    }
  }

  /// Reads one item, whatever it is, checks all of it and returns its bytes.
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
}
