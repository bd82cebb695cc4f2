/// Schedules the return of freed memory to the system, after growth of the process.
///
/// The allocator keeps free blocks between used ones, and floods leave many of them: the library's
/// thread allocates blocks that the main thread frees in another order. The next flood fits into
/// few of them. A block that is used at one return is often free a moment later. So each return is
/// repeated several times, at growing intervals.
///
/// A value without I/O or a clock.
struct MemoryReturn {
  /// The growth of the process at which memory is returned, in bytes, or as a part of a
  /// large process.
  static let growth = 24 << 20
  static let largeParts = 8
  /// The least nanoseconds between two returns, and the least pause after a return as a multiple of
  /// its duration: threads that allocate may have to wait for it.
  static let interval: Int64 = 100_000_000
  static let pause: Int64 = 3
  /// Nanoseconds to the first repetition.
  ///
  /// Each later one waits twice as long, up to the last.
  static let firstRepetition: Int64 = 500_000_000
  static let lastRepetition: Int64 = 8_000_000_000

  /// The least size of the process since the last return; nil before the first check.
  private var base: Int?
  private var end: Int64 = 0
  private var repetition = Self.firstRepetition
  private var repeatsAt: Int64?
  private var isUnderWay = false

  /// Whether a return is under way, or a repetition is scheduled.
  var isPending: Bool { isUnderWay || repeatsAt != nil }

  /// Checks the size of the process, while no return is under way.
  ///
  /// - Returns: Whether memory is to be returned now.
  mutating func isDue(at bytes: Int, now: Int64) -> Bool {
    let base = min(base ?? bytes, bytes)
    self.base = base
    let hasGrown = bytes - base >= max(Self.growth, base / Self.largeParts)
    guard now >= end, hasGrown || repeatsAt.map({ now >= $0 }) ?? false else { return false }
    if hasGrown { repetition = Self.firstRepetition }
    isUnderWay = true
    return true
  }

  /// Records that memory was returned.
  mutating func returned(from start: Int64, to end: Int64) {
    base = nil
    self.end = end + max(Self.interval, Self.pause * (end - start))
    isUnderWay = false
    repeatsAt = repetition <= Self.lastRepetition ? end + repetition : nil
    repetition *= 2
  }
}
