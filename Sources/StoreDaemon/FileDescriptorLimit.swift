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
    #if os(Linux)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
    // Keeping the old limit is no reason not to start; the number of sessions is bounded anyway.
    setrlimit(resource, &limit)
  }
}
