import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Inspects and ends a connection, given its descriptor.
package enum Connection {
  /// The user at the other end of an ipc connection, as the kernel reports it; nil over tcp.
  package static func user(_ descriptor: Int32) -> UInt32? {
    var user: UInt32 = 0
    return czmq_peer_user(descriptor, &user) ? user : nil
  }

  /// The bytes that have arrived and that libzmq has not read; 0 if this is not a connection.
  package static func queuedBytes(_ descriptor: Int32) -> Int {
    Int(czmq_queued_bytes(descriptor))
  }

  /// The end of a connection that this process has bound.
  package enum OwnEnd: Hashable, Sendable {
    /// The file of an ipc endpoint.
    case path(String)
    /// The port of a tcp endpoint.
    case port(UInt16)
  }

  /// A connection's identity, which does not depend on later uses of its descriptor.
  package struct Identity: Hashable, Sendable {
    /// The number that the system has given to the connection's socket.
    private let number: UInt64
    package let ownEnd: OwnEnd

    /// The identity of the connection that has a descriptor now; nil if it is not a connection.
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

  /// Room for a local socket's path and its final zero.
  private static let pathRoom = EndpointPath.limit + 2

  /// Calls a closure with a duplicate of a connection's descriptor, if the connection is alive.
  ///
  /// libzmq closes its descriptor when a connection ends, and the process may reuse the number. A
  /// duplicate always refers to the same connection.
  ///
  /// - Parameters:
  ///   - descriptor: The connection's descriptor; its number may have been reused.
  ///   - identity: The connection's identity.
  ///   - body: The closure.
  /// - Returns: The closure's result; nil if the connection has ended.
  private static func hold<Result>(
    _ descriptor: Int32,
    _ identity: Identity,
    _ body: (Int32) -> Result,
  ) -> Result? {
    let own = duplicate(descriptor)
    defer { if let own { release(own) } }
    // Without a free descriptor, the check uses the original one, immediately before the call.
    let held = own ?? descriptor
    return Identity(held) == identity ? body(held) : nil
  }

  /// Ends a connection at once, regardless of its user: libzmq then closes it.
  ///
  /// Has no effect if the connection has ended and its descriptor was reused.
  package static func shutDown(_ descriptor: Int32, _ identity: Identity) {
    // Fails only if the connection has already ended.
    _ = hold(descriptor, identity) { shutdown($0, Int32(SHUT_RDWR)) }
  }

  /// Duplicates a connection's descriptor; the caller closes the result.
  ///
  /// Nil if that fails.
  package static func duplicate(_ descriptor: Int32) -> Int32? {
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    return own >= 0 ? own : nil
  }

  /// Closes a duplicated descriptor.
  package static func release(_ descriptor: Int32) { _ = close(descriptor) }

  /// Ends a connection and drops its unread bytes.
  ///
  /// Has no effect if the connection has ended and its descriptor was reused.
  package static func discard(_ descriptor: Int32, _ identity: Identity) {
    _ = hold(descriptor, identity) { discard(own: $0) }
  }

  /// Ends a connection and drops its unread bytes, by a duplicate of its descriptor.
  ///
  /// Drops the bytes that have arrived and that libzmq has not read. After a flood these are tens
  /// of thousands of messages, which would delay all peers. Bytes after the gap may be invalid.
  package static func discard(own: Int32) {
    _ = shutdown(own, Int32(SHUT_RDWR))
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      // No bytes arrive after the shutdown, and a system buffers at most this much per connection.
      for _ in 0..<128 {
        guard recv(own, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 else { return }
      }
    }
  }
}
