import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A service on this machine that gives every client the same answer.
final class FactService: Sendable {
  let url: String
  private let descriptor: Int32
  private let requests = Watched(0)

  /// Listens, and answers with a status, to which further headers may be appended, and a body.
  init(_ status: String, body: String = "") throws {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) | listen(descriptor, 64) | getsockname(descriptor, $0, &size)
      }
    }
    guard result == 0 else {
      throw ProcessFailure("listening failed: \(String(cString: strerror(errno)))")
    }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    let length = "Content-Length: \(body.utf8.count)"
    let answer = "HTTP/1.1 \(status)\r\n\(length)\r\nConnection: close\r\n\r\n\(body)"
    let requests = requests
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let connection = accept(descriptor, nil, nil), connection >= 0 {
        if recv(connection, &buffer, buffer.count, 0) > 0 { requests.update { $0 += 1 } }
        _ = RawPeer.send(Array(answer.utf8), to: connection)
        close(connection)
      }
      close(descriptor)
    }
  }

  // Its thread, which waits for a connection, closes it.
  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// The number of requests so far.
  var requestCount: Int { requests.value }

  var wasAsked: Bool { requestCount > 0 }

  /// Waits for the first request.
  func isAsked() async throws {
    try await requests.wait(within: .seconds(20), for: "a request") { $0 > 0 ? true : nil }
  }
}
