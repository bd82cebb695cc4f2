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
  /// Nanoseconds between two returns, however much it grows.
  static let interval: Int64 = 250_000_000

  /// The least that the process has had since the last return; nil while that is under way.
  private var base: Int?
  private var lastReturn: Int64 = 0

  /// Looks at how large the process is, while no return is under way.
  ///
  /// - Returns: Whether memory is to be given back now.
  mutating func isDue(at bytes: Int, now: Int64) -> Bool {
    let base = min(base ?? bytes, bytes)
    self.base = base
    guard bytes - base >= max(Self.growth, base / Self.largeParts),
      now - lastReturn >= Self.interval
    else { return false }
    lastReturn = now
    self.base = nil
    return true
  }
}
