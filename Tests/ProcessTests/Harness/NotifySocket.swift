import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Acts as a service manager: receives a daemon's notifications.
final class NotifySocket: Sendable {
  /// The value for `NOTIFY_SOCKET`.
  let name: String
  private let descriptor: Int32
  private let messages = Watched<[String]>([])

  /// Creates a socket with a path, or with an abstract name.
  init(_ path: String, isAbstract: Bool = false) throws {
    name = isAbstract ? "@\(path)" : path
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = isAbstract ? [0] + Array(path.utf8) : Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let head = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(head + bytes.count))
      }
    }
    guard descriptor >= 0, status == 0 else {
      throw ProcessFailure("No socket \(name): \(String(cString: strerror(errno)))")
    }
    let messages = messages
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        let message = String(decoding: buffer[..<count], as: UTF8.self)
        messages.update { $0.append(message) }
      }
      close(descriptor)
    }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Waits for `count` messages with a prefix.
  ///
  /// - Returns: The last of them.
  @discardableResult
  func told(_ beginning: String, count: Int = 1) async throws -> String {
    try await messages.wait(within: .seconds(30), for: "\(count) of \(beginning)") { messages in
      messages.filter { $0.hasPrefix(beginning) }.dropFirst(count - 1).first
    }
  }

  /// The number of messages with a prefix.
  func count(_ beginning: String) -> Int {
    messages.value.count { $0.hasPrefix(beginning) }
  }
}
