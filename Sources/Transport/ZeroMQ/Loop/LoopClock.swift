#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The clocks that a loop reads once in each turn.
package enum LoopClock {
  /// Nanoseconds of a monotonic clock, which also counts while the machine sleeps.
  package static var nanoseconds: Int64 {
    #if os(Linux)
    read(CLOCK_BOOTTIME)
    #else
    read(CLOCK_MONOTONIC_RAW)
    #endif
  }

  /// Milliseconds since 1970-01-01T00:00:00Z.
  package static var wallMilliseconds: UInt64 {
    UInt64(clamping: read(CLOCK_REALTIME) / 1_000_000)
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // Fails only for a clock that the system lacks; these three exist.
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
