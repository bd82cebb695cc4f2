/// When memory that was freed is given back to the system, since the process has grown.
///
/// The allocator keeps what is free between what is in use, and floods leave much of that: the
/// library's thread allocates what the main thread frees, in another order. The next flood fits
/// into little of it.
///
/// A value without I/O or a clock.
struct MemoryReturn {
  /// By how much the process has grown when memory is given back; of a large process, it is a part
  /// of it.
  static let growth = 32 << 20
  static let largeParts = 8
  /// Nanoseconds between two returns, and how many times as long as one takes there are between it
  /// and the next: who allocates may have to wait for it.
  static let interval: Int64 = 100_000_000
  static let pause: Int64 = 3

  /// The least that the process has had since the last return; nil when it was not looked at.
  private var base: Int?
  private var end: Int64 = 0

  /// Looks at how large the process is, while no return is under way.
  ///
  /// - Returns: Whether memory is to be given back now.
  mutating func isDue(at bytes: Int, now: Int64) -> Bool {
    let base = min(base ?? bytes, bytes)
    self.base = base
    return now >= end && bytes - base >= max(Self.growth, base / Self.largeParts)
  }

  /// Takes note that memory was given back.
  mutating func returned(from start: Int64, to end: Int64) {
    base = nil
    self.end = end + max(Self.interval, Self.pause * (end - start))
  }
}
