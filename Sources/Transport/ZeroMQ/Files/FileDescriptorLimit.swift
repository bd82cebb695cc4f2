#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The number of descriptors that the process may have.
///
/// Without a free one, libzmq ends it.
package enum FileDescriptorLimit {
  /// The minimum for a context, two sockets and the main loop, with a reserve.
  package static let least = 64
  /// The minimum for a daemon: connections are accepted faster than they can be refused.
  ///
  /// With 256, some hundred connections at once end the process; with 1,024, it outlasts 20,000.
  package static let leastOfDaemon = 1_024

  /// Raises the soft limit up to the hard limit, but at most to 65,536, enough for the sessions.
  package static func raise() {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
    // The process starts with the old limit too: it also bounds the number of connections.
    setrlimit(resource, &limit)
  }

  /// The number of descriptors that the process may have now.
  package static var current: Int {
    var limit = rlimit()
    // If the system does not answer, the smallest limit that systems grant.
    guard getrlimit(resource, &limit) == 0 else { return 256 }
    return Int(clamping: limit.rlim_cur)
  }

  /// Checks that the limit is high enough: with too few descriptors libzmq would end the process.
  ///
  /// - Parameter least: The number of descriptors that are needed.
  /// - Throws: ``ZeroMQError`` if the limit is lower.
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
