import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How much longer than on a quiet machine tests may take here.
///
/// A time limit ends a test that hangs. On a machine on which other programs run as well it must
/// not end one that is slow.
enum TestPatience {
  /// The programs that want to run, for each core; at least 1.
  ///
  /// It is the average of a minute, when it is first asked for.
  static let load: Int = {
    var average = 0.0
    let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    guard getloadavg(&average, 1) == 1, average.isFinite else { return 1 }
    return min(20, max(1, Int((average / Double(cores)).rounded(.up))))
  }()

  /// The factor of all time limits: five times what a quiet machine needs, as the load may still
  /// grow, times the load.
  ///
  /// `TEST_PATIENCE` in the environment sets another one.
  static let factor: Int = {
    let text = getenv("TEST_PATIENCE").map { String(cString: $0) }
    return text.flatMap { Int($0) }.map { min(1_000, max(1, $0)) } ?? 5 * load
  }()
}

extension TimeLimitTrait.Duration {
  /// Minutes of a quiet machine: on this one the limit is ``TestPatience/factor`` times as long.
  ///
  /// Of the two functions with this name the compiler takes the one that is not generic.
  static func minutes(_ minutes: Int) -> Self { .minutes(Int64(minutes * TestPatience.factor)) }
}
