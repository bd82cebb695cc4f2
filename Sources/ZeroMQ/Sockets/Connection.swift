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

  /// Ends a connection at once, whoever uses it: the library then closes it.
  package static func shutDown(_ descriptor: Int32) {
    // Fails only when it is over already.
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
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
  /// What has come and was not read is thrown away, as far as the library has not begun to: of
  /// somebody who floods that is ten thousands of messages, which all of us would have to go
  /// through. Behind the gap the rest may not be what the protocol has.
  package static func discard(_ descriptor: Int32) {
    // The library closes its descriptor when it sees the end, and the next connection may have it.
    guard let own = duplicate(descriptor) else { return shutDown(descriptor) }
    defer { close(own) }
    shutDown(own)
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      // Nothing comes behind it, and a system holds so much at most for one connection.
      for _ in 0..<128 {
        guard recv(own, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 else { return }
      }
    }
  }
}
