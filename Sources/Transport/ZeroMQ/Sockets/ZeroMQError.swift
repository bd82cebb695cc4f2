import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A failed operation on a socket, with its remedy.
///
/// The only error that this module throws. Conditions of normal operation are not errors: a full
/// pipe is ``SendResult/wouldBlock``, a peer that has disconnected is ``SendResult/unroutable``,
/// and an empty queue is `false` from ``Socket/receive(into:)``.
package struct ZeroMQError: Error, Hashable, Sendable {
  /// The error number, from the system or one of libzmq's own.
  package let code: Int32

  /// The operation that failed, as a verb: `bind`, `connect`, `set option`.
  package let operation: String

  /// The object of the operation: an endpoint, an option, a kind of socket.
  package let subject: String

  /// The remedy, in whole sentences.
  package let remedy: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The error number.
  ///   - operation: The operation that failed, as a verb.
  ///   - subject: The object of the operation.
  ///   - remedy: The remedy; `nil` for the usual one of this error number.
  package init(code: Int32, operation: String, subject: String, remedy: String? = nil) {
    self.code = code
    self.operation = operation
    self.subject = subject
    self.remedy = remedy ?? Self.remedy(code: code, operation: operation)
  }

  /// The error of this thread's last libzmq call.
  static func last(_ operation: String, _ subject: String) -> Self {
    Self(code: zmq_errno(), operation: operation, subject: subject)
  }
}

extension ZeroMQError: CustomStringConvertible {
  package var description: String {
    "Could not \(operation) \(subject): \(Self.text(code)) (\(Self.name(code))). \(remedy)"
  }

  private static func text(_ code: Int32) -> String {
    zmq_strerror(code).map { String(cString: $0) } ?? "unknown error"
  }
}
