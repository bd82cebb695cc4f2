/// Reads CBOR items one after the other and refuses all that are not in deterministic form.
///
/// A decoder never traps, whatever the bytes are, never allocates more than they justify, and
/// keeps track of the arrays and maps that it is in: their ends, the order of keys and of a set's
/// elements, and how deep they are nested. An order is known to be right once the decoder has
/// moved on from the container, so `finish()` has to be called after the last item. After an
/// error a decoder is of no further use.
///
///     var decoder = CBORDecoder(bytes)
///     let count = try decoder.arrayHeader()
///     for _ in 0..<count { titles.append(try decoder.text()) }
///     try decoder.finish()
///
/// A decoder is a value: a copy continues from the same place on its own.
public struct CBORDecoder: Sendable {
  /// An array, map or set that is open, or what surrounds them all.
  @usableFromInline
  struct Frame: Sendable {
    enum Kind: Sendable {
      case outermost
      case array
      case map
      case set
    }

    var kind: Kind
    /// Items that have not begun yet; a map's entry has two.
    var remaining: Int
    /// Where the key or the set's element that was read last begins; -1 before the first.
    var start = -1
    /// The key or element before that one.
    var previous = 0..<0
    /// Whether the key that was read last comes after all before it, which nobody need check.
    var isOrderKnown = false

    static let outermost = Frame(kind: .outermost, remaining: .max)
  }

  @usableFromInline package let bytes: ArraySlice<UInt8>
  @usableFromInline package var position: Int
  /// The innermost container.
  var frame = Frame.outermost
  /// The one around it.
  private var outer = Frame.outermost
  /// The others, the innermost last: few items are in more than two, and those need no memory.
  private var fartherFrames: [Frame] = []
  /// How many arrays, maps and sets are open.
  @usableFromInline package var openContainers = 0
  @usableFromInline package var isInsideTag = false
  /// How many arrays and maps are around what this decoder reads.
  @usableFromInline package var surrounding = 0
  /// Where bytes were met that a plain reader does not read; up to there none has to try.
  @usableFromInline package var lastNotPlain = -1

  /// Whether values are read in their durable form, which has parts that never travel.
  public var _$isDurable = false

  /// Whether parts that begin anew after a restart get their defaults instead of what was written.
  @usableFromInline package var beginsAnew = false

  /// Creates a decoder of as many items as the bytes hold.
  public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// Creates a decoder of as many items as the bytes hold.
  public init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Creates a decoder of durable forms.
  package init(durable bytes: ArraySlice<UInt8>) {
    self.init(bytes)
    _$isDurable = true
  }

  /// Creates a decoder of durable forms that leaves out what begins anew after a restart.
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

  /// Checks that the items ended together with the bytes.
  public mutating func finish() throws(CodecError) {
    try leaveFinishedContainers()
    guard !isInsideTag, openContainers == 0 else {
      throw error(.truncated, "the bytes end where another item was announced")
    }
    guard isAtEnd else {
      throw error(.trailingBytes, "\(bytes.endIndex - position) bytes follow after the item")
    }
  }

  /// An error at the place that the decoder has reached.
  public func error(_ code: CodecError.Code, _ message: String) -> CodecError {
    CodecError(code, message, offset: offset)
  }

  /// Runs `body`; an error that it throws says that it happened inside of `element`.
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

  /// Enters an array when one of so many items stands next; else the decoder stays where it is.
  ///
  /// - Returns: Whether it stood there, and could be entered.
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

  /// Counts an item that is one of several keys which are asked for in their order.
  @inline(__always)
  package mutating func beginExpectedItem() throws(CodecError) {
    if frame.remaining == 0 { try leaveFinishedContainers() }
    // Behind a key that was not expected the order has to be checked.
    let isKnown = frame.isOrderKnown || frame.previous.isEmpty
    let isKey = frame.kind == .map && frame.remaining % 2 == 0
    try beginItem()
    frame.isOrderKnown = isKey && isKnown
  }

  /// Says that the key that was read last was not asked for in its order, which has to be checked.
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

  /// Leaves the arrays and maps of which the last item has been read.
  package mutating func leaveFinishedContainers() throws(CodecError) {
    while frame.remaining == 0 { try leaveOneContainer() }
  }

  /// Leaves the innermost array or map, of which the last item has been read.
  mutating func leaveOneContainer() throws(CodecError) {
    guard openContainers > 0 else { return }
    // Before anything changes, so that a decoder that is used after an error meets it again.
    if frame.kind == .set { try checkOrder(what: "element") }
    frame = outer
    openContainers -= 1
    outer = fartherFrames.popLast() ?? .outermost
  }

  /// Enters a container of which the header has just been read.
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

  /// Checks that the key or element that ends here comes after the one before it.
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
