/// When memory that was freed is given back to the system, since the process has grown.
///
/// The allocator keeps what is free between what is in use, and floods leave much of that: the
/// library's thread allocates what the main thread frees, in another order. The next flood fits
/// into little of it. What is in use at one return is often free a moment later, so each is
/// repeated some times, less and less often.
///
/// A value without I/O or a clock.
struct MemoryReturn {
  /// By how much the process has grown when memory is given back; of a large process, it is a part
  /// of it.
  static let growth = 24 << 20
  static let largeParts = 8
  /// Nanoseconds between two returns, and how many times as long as one takes there are between it
  /// and the next: who allocates may have to wait for it.
  static let interval: Int64 = 100_000_000
  static let pause: Int64 = 3
  /// Nanoseconds to the first repetition; each takes twice as long as the one before, up to the
  /// last.
  static let firstRepetition: Int64 = 500_000_000
  static let lastRepetition: Int64 = 8_000_000_000

  /// The least that the process has had since the last return; nil when it was not looked at.
  private var base: Int?
  private var end: Int64 = 0
  private var repetition = Self.firstRepetition
  private var repeatsAt: Int64?
  private var isUnderWay = false

  /// Whether a return is under way, or will be without any growth.
  var isPending: Bool { isUnderWay || repeatsAt != nil }

  /// Looks at how large the process is, while no return is under way.
  ///
  /// - Returns: Whether memory is to be given back now.
  mutating func isDue(at bytes: Int, now: Int64) -> Bool {
    let base = min(base ?? bytes, bytes)
    self.base = base
    let hasGrown = bytes - base >= max(Self.growth, base / Self.largeParts)
    guard now >= end, hasGrown || repeatsAt.map({ now >= $0 }) ?? false else { return false }
    if hasGrown { repetition = Self.firstRepetition }
    isUnderWay = true
    return true
  }

  /// Takes note that memory was given back.
  mutating func returned(from start: Int64, to end: Int64) {
    base = nil
    self.end = end + max(Self.interval, Self.pause * (end - start))
    isUnderWay = false
    repeatsAt = repetition <= Self.lastRepetition ? end + repetition : nil
    repetition *= 2
  }
}
