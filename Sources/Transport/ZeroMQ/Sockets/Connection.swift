import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection's other end, by the connection's descriptor.
package enum Connection {
  /// The user at the other end of an ipc connection, as the kernel says it; nil over tcp.
  package static func user(_ descriptor: Int32) -> UInt32? {
    var user: UInt32 = 0
    return czmq_peer_user(descriptor, &user) ? user : nil
  }

  /// The bytes that have come and that the library has not read yet; 0 for what is no connection.
  package static func queuedBytes(_ descriptor: Int32) -> Int {
    Int(czmq_queued_bytes(descriptor))
  }

  /// The end of a connection that its process has bound.
  package enum OwnEnd: Hashable, Sendable {
    /// The file of an ipc endpoint.
    case path(String)
    /// The port of a tcp endpoint.
    case port(UInt16)
  }

  /// Which connection it is, however its descriptor is used later.
  package struct Identity: Hashable, Sendable {
    /// The number that the system has given to its socket.
    private let number: UInt64
    package let ownEnd: OwnEnd

    /// The identity of the connection that has a descriptor now; nil for anything else.
    package init?(_ descriptor: Int32) {
      var (number, port): (UInt64, UInt16) = (0, 0)
      let path = withUnsafeTemporaryAllocation(of: CChar.self, capacity: pathRoom) {
        czmq_own_end(descriptor, &number, $0.baseAddress, &port)
          ? $0.baseAddress.map { String(cString: $0) } : nil
      }
      guard let path else { return nil }
      self.number = number
      ownEnd = port == 0 ? .path(path) : .port(port)
    }
  }

  /// Room for a local socket's path, and a zero.
  private static let pathRoom = EndpointPath.limit + 2

  /// Calls a closure with a descriptor of one's own for a connection, unless that is over.
  ///
  /// The library closes its descriptor when a connection ends, and then anything that the process
  /// opens may have the same number. A descriptor of one's own stays the connection's.
  ///
  /// - Parameters:
  ///   - descriptor: The connection's descriptor, or what has the same number by now.
  ///   - identity: The connection's.
  ///   - body: The closure.
  /// - Returns: What the closure returns; nil where the connection is over.
  private static func hold<Result>(
    _ descriptor: Int32,
    _ identity: Identity,
    _ body: (Int32) -> Result,
  ) -> Result? {
    let own = duplicate(descriptor)
    defer { if let own { release(own) } }
    // Where the process has no descriptor left, the check is as close as it can be.
    let held = own ?? descriptor
    return Identity(held) == identity ? body(held) : nil
  }

  /// Ends a connection at once, whoever uses it: the library then closes it.
  ///
  /// Does nothing where the connection is over and something else has its descriptor.
  package static func shutDown(_ descriptor: Int32, _ identity: Identity) {
    // Fails only when it is over already.
    _ = hold(descriptor, identity) { shutdown($0, Int32(SHUT_RDWR)) }
  }

  /// A descriptor of one's own for a connection, to be closed; nil when there is none.
  package static func duplicate(_ descriptor: Int32) -> Int32? {
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    return own >= 0 ? own : nil
  }

  /// Closes a descriptor of one's own.
  package static func release(_ descriptor: Int32) { _ = close(descriptor) }

  /// Ends a connection of which nothing is taken any more.
  ///
  /// Does nothing where the connection is over and something else has its descriptor.
  package static func discard(_ descriptor: Int32, _ identity: Identity) {
    _ = hold(descriptor, identity) { discard(own: $0) }
  }

  /// Ends a connection of which nothing is taken any more, by a descriptor of one's own for it.
  ///
  /// What has come and was not read is thrown away, as far as the library has not begun to: of
  /// somebody who floods that is ten thousands of messages, which all of us would have to go
  /// through. Behind the gap the rest may not be what the protocol has.
  package static func discard(own: Int32) {
    _ = shutdown(own, Int32(SHUT_RDWR))
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      // Nothing comes behind it, and a system holds so much at most for one connection.
      for _ in 0..<128 {
        guard recv(own, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 else { return }
      }
    }
  }
}
