import StoreActor
import StoreProtocol
import StoreState

extension JournalRecord.ScheduledTimer {
  /// The fields' numbers.
  ///
  /// An unknown number belongs to a later release, and is ignored.
  private enum Field {
    static let number: UInt64 = 0
    static let id: UInt64 = 1
    static let path: UInt64 = 2
    static let depth: UInt64 = 3
    static let due: UInt64 = 4
    /// Only if it fires again.
    static let interval: UInt64 = 5
    static let missed: UInt64 = 6
    static let revision: UInt64 = 7
    static let origin: UInt64 = 8
    static let action: UInt64 = 9
  }

  func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(timer.interval == nil ? 9 : 10)
    encoder.encode(unsigned: Field.number)
    encoder.encode(unsigned: number)
    encoder.encode(unsigned: Field.id)
    encoder.encode(text: timer.id)
    encoder.encode(unsigned: Field.path)
    encoder.encode(texts: timer.path)
    encoder.encode(unsigned: Field.depth)
    encoder.encode(unsigned: UInt64(timer.depth))
    encoder.encode(unsigned: Field.due)
    encoder.encode(unsigned: timer.due.bitPattern)
    if let interval = timer.interval {
      encoder.encode(unsigned: Field.interval)
      encoder.encode(unsigned: interval.bitPattern)
    }
    encoder.encode(unsigned: Field.missed)
    encoder.encode(text: timer.missed.rawValue)
    encoder.encode(unsigned: Field.revision)
    encoder.encode(unsigned: timer.revision)
    encoder.encode(unsigned: Field.origin)
    timer.origin.encode(to: &encoder)
    encoder.encode(unsigned: Field.action)
    encoder.encode(bytes: timer.action)
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    var (number, due, action): (UInt64?, Double?, [UInt8]?)
    var timer = DurableTimer(
      id: "",
      path: [],
      depth: 0,
      due: 0,
      interval: nil,
      missed: .once,
      revision: 0,
      origin: .process,
      action: [],
    )
    for _ in 0..<(try decoder.mapHeader()) {
      switch try decoder.unsigned() {
      case Field.number: number = try decoder.unsigned()
      case Field.id: timer.id = try decoder.text()
      case Field.path: timer.path = try decoder.texts()
      case Field.depth: timer.depth = Int(clamping: try decoder.unsigned())
      case Field.due: due = try decoder.date()
      case Field.interval: timer.interval = max(1, try decoder.date())
      // Another release may know more ways.
      case Field.missed: timer.missed = MissedFirings(rawValue: try decoder.text()) ?? .once
      case Field.revision: timer.revision = try decoder.unsigned()
      case Field.origin: timer.origin = try ActionOrigin(from: &decoder)
      case Field.action: action = try decoder.byteString()
      default: try decoder.skipItem()
      }
    }
    guard let number, let due, let action else {
      throw decoder.error(.typeMismatch, "a schedule has a number, a due time and an action")
    }
    (timer.due, timer.action) = (due, action)
    self.init(number: number, timer: timer)
  }
}

extension JournalRecord.Firing {
  /// Writes the number, the due time, and the next due time or null.
  func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(3)
    encoder.encode(unsigned: number)
    encoder.encode(unsigned: due.bitPattern)
    if let next { encoder.encode(unsigned: next.bitPattern) } else { encoder.encodeNull() }
  }

  init(from decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.arrayHeader()
    try decoder.require(3, of: count, "a firing")
    number = try decoder.unsigned()
    due = try decoder.date()
    next = try decoder.nullIfPresent() ? nil : try decoder.date()
    try decoder.skipItems(count - 3)
  }
}

extension CBORDecoder {
  /// Reads seconds as the bits of a number, which must be one that a schedule can have.
  fileprivate mutating func date() throws(CodecError) -> Double {
    let seconds = Double(bitPattern: try unsigned())
    guard abs(seconds) <= DurableTimer.greatestDate else {
      throw error(.typeMismatch, "no schedule has the time \(seconds)")
    }
    return seconds
  }
}
