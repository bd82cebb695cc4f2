import StoreProtocol
import StoreState
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension StoreLocation {
  /// Checks whether the location can be trusted, before any message is sent there.
  ///
  /// Messages to a directory are for the daemon of its owner, so no other user may be able to
  /// replace that daemon.
  func check() throws(ConnectionError) {
    do throws(ZeroMQError) {
      try EndpointPath.check(control, operation: "connect to")
    } catch {
      throw ConnectionError(.usage, "\(error)", remedy: "")
    }
    guard let directory else { return try checkKey() }
    do throws(TrustedPath.Problem) {
      try check(directory, TrustedPath.follow(directory, trusting: owner))
    } catch .missing(_, isShared: false) {
      // A daemon may start there later, but only one of this user or of root.
    } catch {
      throw ConnectionError(error)
    }
  }

  /// Refuses unencrypted connections on which others could read messages or pose as the daemon.
  private func checkKey() throws(ConnectionError) {
    for endpoint in [control, publishing] where TCPAddress(endpoint) == nil {
      throw ConnectionError(.usage, "\(LocationError(address: endpoint))", remedy: "")
    }
    guard key == nil, !isLoopback(control) || !isLoopback(publishing) else { return }
    throw .withoutKey("There is no key for \(self), and nothing is sent there without one.")
  }

  /// Whether an address is only reachable from this machine.
  private func isLoopback(_ address: String) -> Bool {
    let host = TCPAddress(address).map { String($0.host) } ?? ""
    var parsed = in_addr()
    return host == "localhost"
      || inet_pton(AF_INET, host, &parsed) == 1 && UInt32(bigEndian: parsed.s_addr) >> 24 == 127
  }

  private func check(
    _ path: String,
    _ directory: TrustedPath.Directory,
  ) throws(TrustedPath.Problem) {
    let isTrusted = directory.owner == geteuid() || directory.owner == owner
    guard isTrusted || directory.owner == 0 else {
      throw .foreign(path, owner: directory.owner)
    }
    guard !directory.isWritableByOthers else { throw .writable(path, directory) }
  }
}

extension StoreLocation {
  /// The number of a user that an option names.
  ///
  /// - Parameter text: The user's name, or the number itself.
  /// - Returns: The number.
  /// - Throws: ``ConnectionError`` if the user does not exist, or if the lookup fails.
  package static func user(_ text: String) throws(ConnectionError) -> UInt32 {
    if let number = UInt32(text) { return number }
    do throws(LookupFailure) {
      if let number = try AccountBuffer.user(named: text) { return number }
    } catch {
      throw ConnectionError(
        .usage,
        "The user \(text.quoted) could not be looked up: \(error).",
        remedy: "Give the user's number with --owner.",
      )
    }
    throw ConnectionError(
      .usage,
      "There is no user \(text.quoted).",
      remedy: "Name one with --owner.",
    )
  }
}

extension ConnectionError {
  /// The error of a connection that requires a key, without one.
  static func withoutKey(_ message: String) -> Self {
    Self(
      .notAllowed,
      message,
      remedy: "Have the daemon's owner run \"storectl invite\", and enrol with the printed line: "
        + "storectl enrol LINE",
    )
  }

  /// The error of a directory that is not trusted, or cannot belong to a daemon.
  fileprivate init(_ problem: TrustedPath.Problem) {
    switch problem {
    case .foreign, .writable: self.init(.notAllowed, "\(problem)", remedy: "")
    case .missing, .notDirectory, .failed:
      self.init(.noDaemon, "\(problem)", remedy: "")
    }
  }
}
