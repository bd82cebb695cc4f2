import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Forwards connections to a port of this machine, as a slow network would: it holds a client's
/// messages after the handshake until ``release()``.
final class Relay: Sendable {
  /// The port on which it listens.
  let port: UInt16
  private let listener: Int32
  private let isHolding = Watched(false)
  /// A pipe; its end ends the hold.
  private let letGo: (waiting: Int32, open: Watched<Int32?>)

  init(to target: UInt16) throws {
    #if canImport(Glibc)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard status else {
      throw ProcessFailure("no port to listen at: \(String(cString: strerror(errno)))")
    }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw ProcessFailure("no pipe could be made") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    letGo = (ends[0], Watched(ends[1]))
    let (isHolding, waiting) = (isHolding, ends[0])
    Thread.detachNewThread {
      while case let client = accept(listener, nil, nil), client >= 0 {
        guard let server = try? RawPeer.connect(port: target) else {
          close(client)
          continue
        }
        Thread.detachNewThread { Self.pass(from: server, to: client) }
        Thread.detachNewThread {
          var hold = Hold()
          Self.pass(from: client, to: server) { bytes in
            guard hold.isMessage(in: bytes) else { return }
            isHolding.update { $0 = true }
            var byte: UInt8 = 0
            while read(waiting, &byte, 1) < 0, errno == EINTR {}
          }
        }
      }
      close(listener)
    }
  }

  deinit {
    _ = shutdown(listener, Int32(SHUT_RDWR))
    release()
  }

  /// Waits until it holds a message.
  func holds() async throws {
    try await isHolding.wait(within: .seconds(20), for: "a message") { $0 ? true : nil }
  }

  /// Releases the held messages, and holds no more.
  func release() {
    letGo.open.update { open in
      if let open { close(open) }
      open = nil
    }
  }

  /// Forwards bytes until one side closes.
  ///
  /// The descriptors stay open, since another thread may still use them; a test has few
  /// connections.
  static func pass(
    from source: Int32,
    to target: Int32,
    before: ([UInt8]) -> Void = { _ in },
  ) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
      let bytes = Array(buffer[..<count])
      before(bytes)
      guard RawPeer.send(bytes, to: target) else { break }
    }
    _ = shutdown(target, Int32(SHUT_RDWR))
  }

  /// Finds the first message after the handshake's commands.
  private struct Hold {
    private var bytes: [UInt8] = []
    /// The index of the next frame; the first follows a greeting of 64 bytes.
    private var place = 64

    mutating func isMessage(in new: [UInt8]) -> Bool {
      bytes += new
      while place + 9 <= bytes.count {
        let flags = bytes[place]
        if flags & 4 == 0 { return true }
        let size =
          flags & 2 == 0
          ? 2 + Int(bytes[place + 1])
          : 9 + bytes[place + 1..<place + 9].reduce(0) { $0 << 8 | Int($1) }
        place += size
      }
      return false
    }
  }
}
