#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Checks an endpoint before libzmq receives it.
package enum EndpointPath {
  /// The longest path of an ipc endpoint, in bytes: 107 on Linux, 103 on macOS.
  ///
  /// The kernel keeps it in a fixed field of the address, with a zero at its end.
  package static let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Throws if the endpoint cannot be used.
  ///
  /// Refuses an empty path, a path that is too long, an abstract name (`ipc://@name`: it has no
  /// file, so no permissions guard it) and a zero byte (C would end the endpoint there). libzmq
  /// checks the rest.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to bind or connect, such as `ipc:///run/user/1000/x/ctl`.
  ///   - operation: The endpoint's purpose, as a verb; it appears in the error.
  /// - Throws: ``ZeroMQError`` with the code ENAMETOOLONG or EINVAL.
  package static func check(_ endpoint: String, operation: String = "use") throws(ZeroMQError) {
    guard !endpoint.utf8.contains(0) else {
      throw invalid(endpoint, operation, "Remove the zero byte from the endpoint.")
    }
    guard endpoint.hasPrefix("ipc://") else { return }
    let path = endpoint.utf8.dropFirst("ipc://".utf8.count)
    guard let first = path.first else {
      throw invalid(endpoint, operation, "Give the path of the socket: ipc:///path/to/socket.")
    }
    guard first != UInt8(ascii: "@") else {
      throw invalid(
        endpoint,
        operation,
        "Abstract names have no permissions: use a path in a directory of mode 0700.",
      )
    }
    guard path.count <= limit else { throw tooLong(endpoint, operation, length: path.count) }
  }

  private static func invalid(
    _ endpoint: String,
    _ operation: String,
    _ remedy: String,
  ) -> ZeroMQError {
    ZeroMQError(code: EINVAL, operation: operation, subject: endpoint, remedy: remedy)
  }

  private static func tooLong(
    _ endpoint: String,
    _ operation: String,
    length: Int,
  ) -> ZeroMQError {
    ZeroMQError(
      code: ENAMETOOLONG,
      operation: operation,
      subject: endpoint,
      remedy: "The path has \(length) bytes and a socket's path may have \(limit) at most: choose "
        + "a directory whose name is at least \(length - limit) bytes shorter.",
    )
  }
}
