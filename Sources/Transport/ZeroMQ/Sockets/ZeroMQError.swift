import CZMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What went wrong between this process and its sockets, and what to do about it.
///
/// The only error this module throws. Conditions that belong to normal operation are not errors:
/// a full pipe is ``SendResult/wouldBlock``, a peer that has left ``SendResult/unroutable``, and
/// nothing to read is `false` from ``Socket/receive(into:)``.
package struct ZeroMQError: Error, Hashable, Sendable {
  /// The error number, from the system or one of libzmq's own.
  package let code: Int32

  /// What was attempted, as a verb: `bind`, `connect`, `set option`.
  package let operation: String

  /// What it was attempted on: an endpoint, an option, a kind of socket.
  package let subject: String

  /// What to do about it: whole sentences.
  package let remedy: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The error number.
  ///   - operation: What was attempted, as a verb.
  ///   - subject: What it was attempted on.
  ///   - remedy: What to do, or `nil` for the usual advice on this error number.
  package init(code: Int32, operation: String, subject: String, remedy: String? = nil) {
    self.code = code
    self.operation = operation
    self.subject = subject
    self.remedy = remedy ?? Self.remedy(code: code, operation: operation)
  }

  /// The error of the libzmq call that this thread made last.
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
