/// Reads CBOR items in order and rejects all that are not in deterministic form.
///
/// A decoder never traps on any bytes and never allocates more than they justify. It tracks its
/// open arrays and maps: their ends, the order of keys and of a set's elements, and the depth of
/// nesting. The last order in a container is checked when the decoder leaves the container, so
/// `finish()` must be called after the last item. Do not use a decoder after it threw an error.
///
///     var decoder = CBORDecoder(bytes)
///     let count = try decoder.arrayHeader()
///     for _ in 0..<count { titles.append(try decoder.text()) }
///     try decoder.finish()
///
/// A decoder is a value: a copy continues independently from the same place.
public struct CBORDecoder: Sendable {
  /// An open array, map or set, or the level outside of all containers.
  @usableFromInline
  struct Frame: Sendable {
    enum Kind: Sendable {
      case outermost
      case array
      case map
      case set
    }

    var kind: Kind
    /// Items that have not begun yet; a map's entry counts as two.
    var remaining: Int
    /// The start of the most recent key or element of a set; -1 before the first.
    var start = -1
    /// The key or element before that one.
    var previous = 0..<0
    /// Whether the most recent key is known to follow all keys before it, without a check.
    var isOrderKnown = false

    static let outermost = Frame(kind: .outermost, remaining: .max)
  }

  @usableFromInline package let bytes: ArraySlice<UInt8>
  @usableFromInline package var position: Int
  /// The innermost container.
  var frame = Frame.outermost
  /// The container around `frame`.
  private var outer = Frame.outermost
  /// The other containers, the innermost last.
  ///
  /// Few items are inside more than two, so this array mostly stays empty and needs no memory.
  private var fartherFrames: [Frame] = []
  /// The number of open arrays, maps and sets.
  @usableFromInline package var openContainers = 0
  @usableFromInline package var isInsideTag = false
  /// The number of arrays and maps around the bytes of this decoder.
  @usableFromInline package var surrounding = 0
  /// The last place at which the plain reader failed; up to it, the plain reader is not tried.
  @usableFromInline package var lastNotPlain = -1

  /// Whether values are read in their durable form, which has parts that are never sent.
  public var _$isDurable = false

  /// Whether parts that reset at a restart get their defaults instead of the written values.
  @usableFromInline package var beginsAnew = false

  /// Creates a decoder of all items in the bytes.
  public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// Creates a decoder of all items in the bytes.
  public init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Creates a decoder of durable forms.
  package init(durable bytes: ArraySlice<UInt8>) {
    self.init(bytes)
    _$isDurable = true
  }

  /// Creates a decoder of durable forms that resets the parts that do not survive a restart.
  package init(restarting bytes: ArraySlice<UInt8>) {
    self.init(durable: bytes)
    beginsAnew = true
  }

  /// The number of bytes that have been read.
  public var offset: Int { position - bytes.startIndex }

  /// Whether all bytes have been read.
  public var isAtEnd: Bool { position == bytes.endIndex }

  /// The number of arrays and maps around the next item.
  @inlinable package var depth: Int { surrounding + openContainers }

  /// Checks that the bytes end with the last item.
  public mutating func finish() throws(CodecError) {
    try leaveFinishedContainers()
    guard !isInsideTag, openContainers == 0 else {
      throw error(.truncated, "the bytes end where another item was announced")
    }
    guard isAtEnd else {
      throw error(.trailingBytes, "\(bytes.endIndex - position) bytes follow after the item")
    }
  }

  /// Creates an error at the decoder's current place.
  public func error(_ code: CodecError.Code, _ message: String) -> CodecError {
    CodecError(code, message, offset: offset)
  }

  /// Runs `body`; an error that it throws gets `element` added to its path.
  public mutating func at<Result>(
    _ element: @autoclosure () -> CodecError.PathElement,
    _ body: (inout CBORDecoder) throws(CodecError) -> Result,
  ) throws(CodecError) -> Result {
    do {
      return try body(&self)
    } catch {
      throw error.inside(element())
    }
  }
}

// MARK: - Containers

extension CBORDecoder {
  /// Counts an item that is about to be read, and checks the order of the one before it.
  @inline(__always)
  package mutating func beginItem() throws(CodecError) {
    guard frame.remaining > 0, !isInsideTag else { return try beginItemSlowly() }
    switch frame.kind {
    case .array: frame.remaining -= 1
    case .map where frame.remaining % 2 == 0:
      frame.start = position
      frame.isOrderKnown = false
      frame.remaining -= 1
    case .map where frame.isOrderKnown:
      frame.previous = frame.start..<position
      frame.remaining -= 1
    default: try beginItemSlowly()
    }
  }

  /// Enters an array if the next item is one of `count` items; otherwise the decoder does not move.
  ///
  /// - Returns: Whether the array was the next item and could be entered.
  @inline(__always)
  mutating func entersArray(of count: Int) throws(CodecError) -> Bool {
    guard count > 0, count < 24, position < bytes.endIndex,
      bytes[position] == CBOR.array | UInt8(truncatingIfNeeded: count),
      bytes.endIndex - position > count, !isInsideTag, depth < CBOR.maximumDepth
    else { return false }
    try beginItem()
    position += 1
    push(Frame(kind: .array, remaining: count))
    return true
  }

  /// Counts an item that is one of several keys that the caller reads in their order.
  @inline(__always)
  package mutating func beginExpectedItem() throws(CodecError) {
    if frame.remaining == 0 { try leaveFinishedContainers() }
    // After an unexpected key, the order must be checked.
    let isKnown = frame.isOrderKnown || frame.previous.isEmpty
    let isKey = frame.kind == .map && frame.remaining % 2 == 0
    try beginItem()
    frame.isOrderKnown = isKey && isKnown
  }

  /// Notes that the most recent key was read out of its expected order, which must be checked.
  package mutating func forgetOrder() { frame.isOrderKnown = false }

  private mutating func beginItemSlowly() throws(CodecError) {
    guard !isInsideTag else {
      throw error(.unsupported, "expected an array after the tag of a set")
    }
    if frame.remaining == 0 { try leaveFinishedContainers() }
    switch frame.kind {
    case .outermost:
      return
    case .array:
      break
    case .map:
      if frame.remaining % 2 == 0 {
        frame.start = position
        frame.isOrderKnown = false
      } else if frame.isOrderKnown {
        frame.previous = frame.start..<position
      } else {
        try checkOrder(what: "key")
      }
    case .set:
      if frame.start >= 0 { try checkOrder(what: "element") }
      frame.start = position
    }
    frame.remaining -= 1
  }

  /// Leaves the arrays and maps whose last item has been read.
  package mutating func leaveFinishedContainers() throws(CodecError) {
    while frame.remaining == 0 { try leaveOneContainer() }
  }

  /// Leaves the innermost array or map, whose last item has been read.
  mutating func leaveOneContainer() throws(CodecError) {
    guard openContainers > 0 else { return }
    // Checked before any change, so a decoder that is used after an error throws it again.
    if frame.kind == .set { try checkOrder(what: "element") }
    frame = outer
    openContainers -= 1
    outer = fartherFrames.popLast() ?? .outermost
  }

  /// Enters a container whose header has just been read.
  mutating func enter(_ kind: Frame.Kind, items: Int, headerAt start: Int) throws(CodecError) {
    guard depth < CBOR.maximumDepth else {
      throw CodecError(
        .tooDeep,
        "arrays and maps are nested deeper than \(CBOR.maximumDepth)",
        offset: start - bytes.startIndex,
      )
    }
    guard items > 0 else { return }
    push(Frame(kind: kind, remaining: items))
  }

  @inline(__always)
  private mutating func push(_ new: Frame) {
    if openContainers > 1 { fartherFrames.append(outer) }
    outer = frame
    frame = new
    openContainers += 1
  }

  /// Checks that the key or element that ends here follows the previous one in order.
  private mutating func checkOrder(what: StaticString) throws(CodecError) {
    let current = frame.start..<position
    if !frame.previous.isEmpty {
      let order = orderOfPrevious(and: current)
      guard order < 0 else { throw orderError(what, at: current.lowerBound, isTwice: order == 0) }
    }
    frame.previous = current
  }

  private func orderOfPrevious(and current: Range<Int>) -> Int {
    let (first, previous) = (bytes.startIndex, frame.previous)
    let order = bytes.withUnsafeBufferPointer { all in
      memoryOrder(
        UnsafeBufferPointer(
          rebasing: all[(previous.lowerBound - first)..<(previous.upperBound - first)]
        ),
        UnsafeBufferPointer(
          rebasing: all[(current.lowerBound - first)..<(current.upperBound - first)]
        ),
      )
    }
    return order == 0 ? previous.count - current.count : order
  }

  private func orderError(_ what: StaticString, at place: Int, isTwice: Bool) -> CodecError {
    CodecError(
      .notCanonical,
      isTwice
        ? "the \(what) stands there twice"
        : "the \(what) stands after a greater one; they go in bytewise order",
      offset: place - bytes.startIndex,
    )
  }

  /// The bytewise order of two encodings: negative, zero or positive.
  package static func compare(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) -> Int {
    first.withUnsafeBufferPointer { first in
      second.withUnsafeBufferPointer { compare(first, $0) }
    }
  }

  /// The bytewise order of two encodings: negative, zero or positive.
  static func compare(
    _ first: UnsafeBufferPointer<UInt8>,
    _ second: UnsafeBufferPointer<UInt8>,
  ) -> Int {
    let order = memoryOrder(first, second)
    return order == 0 ? first.count - second.count : order
  }
}
