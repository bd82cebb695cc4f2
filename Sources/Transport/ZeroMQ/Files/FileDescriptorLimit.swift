#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How many descriptors the process may have: running out of them ends it inside libzmq.
package enum FileDescriptorLimit {
  /// What a context, two sockets and the main loop take, with some to spare.
  package static let least = 64
  /// What a daemon needs: connections are accepted faster than they can be refused.
  ///
  /// With 256, some hundred connections at once end the process; with 1,024, it outlasts 20,000.
  package static let leastOfDaemon = 1_024

  /// Raises the soft limit to what the system lets us have, up to what the sessions need.
  package static func raise() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
    // Keeping the old limit is no reason not to start: who connects is bounded by what there is.
    setrlimit(resource, &limit)
  }

  /// How many descriptors the process may have as it is.
  package static var current: Int {
    var limit = rlimit()
    // Without an answer the least that systems grant.
    guard getrlimit(resource, &limit) == 0 else { return 256 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Checks that there are enough: with fewer the library would end the process.
  ///
  /// - Parameter least: How many are needed.
  /// - Throws: ``ZeroMQError`` where there are fewer.
  package static func check(least: Int = least) throws(ZeroMQError) {
    guard current < least else { return }
    throw ZeroMQError(
      code: EMFILE,
      operation: "create",
      subject: "a ZeroMQ context",
      remedy: "This process may have \(current) files open, and needs \(least): raise the limit "
        + "(ulimit -n 1024, LimitNOFILE=).",
    )
  }

  #if os(Linux)
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let resource = RLIMIT_NOFILE
  #endif
}
