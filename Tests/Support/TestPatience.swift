import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The factor by which tests may take longer than on a quiet machine.
///
/// A time limit ends a test that hangs. It must not end a slow test on a machine with other load.
enum TestPatience {
  /// The number of runnable programs per core; at least 1.
  ///
  /// It is the average of a minute, read at the first use.
  static let load: Int = {
    var average = 0.0
    let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    guard getloadavg(&average, 1) == 1, average.isFinite else { return 1 }
    return min(20, max(1, Int((average / Double(cores)).rounded(.up))))
  }()

  /// The factor of all time limits: the load, times five because the load may still grow.
  ///
  /// `TEST_PATIENCE` in the environment overrides it.
  static let factor: Int = {
    let text = getenv("TEST_PATIENCE").map { String(cString: $0) }
    return text.flatMap { Int($0) }.map { min(1_000, max(1, $0)) } ?? 5 * load
  }()
}

extension TimeLimitTrait.Duration {
  /// Returns minutes of a quiet machine, multiplied by ``TestPatience/factor``.
  ///
  /// The compiler prefers this function to the generic one of the same name.
  static func minutes(_ minutes: Int) -> Self { .minutes(Int64(minutes * TestPatience.factor)) }
}
