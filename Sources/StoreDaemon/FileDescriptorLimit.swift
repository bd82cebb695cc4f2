#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How many descriptors the process may have: each client takes two, and running out of them ends
/// the process inside libzmq.
enum FileDescriptorLimit {
  /// Raises the soft limit to what the system lets us have, up to what the sessions need.
  static func raise() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
    // Keeping the old limit is no reason not to start: who connects is bounded by what there is.
    setrlimit(resource, &limit)
  }

  /// How many descriptors the process may have as it is.
  static var current: Int {
    var limit = rlimit()
    // Without an answer the least that systems grant.
    guard getrlimit(resource, &limit) == 0 else { return 256 }
    return Int(clamping: limit.rlim_cur)
  }

  #if os(Linux)
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let resource = RLIMIT_NOFILE
  #endif
}
