import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A peer on a socket's file that speaks whatever bytes it is given.
final class RawPeer: Sendable {
  private let open: OpenDescriptor
  private let isClosed = Watched(false)

  /// Connects, sends the bytes and reads until the other side closes.
  ///
  /// With a socket type there is a proper handshake of such a ZeroMQ socket before anything else.
  /// The flood is sent without end after the bytes, until the other side closes.
  init(
    _ path: String,
    as socketType: String? = nil,
    sending bytes: [UInt8],
    flood: [UInt8] = [],
  ) throws {
    let descriptor = try Self.connect(path)
    let open = OpenDescriptor(descriptor)
    self.open = open
    let isClosed = isClosed
    Thread.detachNewThread {
      var isOpen = socketType.map { Self.shakeHands(descriptor, as: $0) } ?? true
      isOpen = isOpen && Self.send(bytes, to: descriptor)
      while isOpen, !flood.isEmpty { isOpen = Self.send(flood, to: descriptor) }
      var buffer = [UInt8](repeating: 0, count: 4096)
      while isOpen { isOpen = recv(descriptor, &buffer, buffer.count, 0) > 0 }
      open.close()
      isClosed.update { $0 = true }
    }
  }

  deinit { open.hangUp() }

  /// Waits until the other side has closed the connection.
  func closed(within time: Duration = .seconds(20)) async throws {
    try await isClosed.wait(within: time, for: "the connection's end") { $0 ? true : nil }
  }

  private static func connect(_ path: String) throws -> Int32 {
    #if canImport(Glibc)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Glibc)
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        #else
        Darwin.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        #endif
      }
    }
    guard descriptor >= 0, status == 0 else {
      throw ProcessFailure("connecting to \(path) failed: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// Whoever sends before the other side has said READY is cut off.
  private static func shakeHands(_ descriptor: Int32, as socketType: String) -> Bool {
    guard send(ZMTP.opening(socketType), to: descriptor) else { return false }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    // A greeting of 64 bytes, and a command that begins with its flags and its size.
    while answer.count < 66 || answer.count < 66 + Int(answer[65]) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      answer += buffer.prefix(count)
    }
    return true
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Glibc)
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      #else
      let count = rest.withUnsafeBytes { Darwin.send(descriptor, $0.baseAddress, $0.count, 0) }
      #endif
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// A connection that one thread closes and others may end.
private final class OpenDescriptor: Sendable {
  private let descriptor: Mutex<Int32?>

  init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

  func hangUp() {
    descriptor.withLock { descriptor in
      if let descriptor { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  func close() {
    descriptor.withLock { descriptor in
      #if canImport(Glibc)
      if let descriptor { _ = Glibc.close(descriptor) }
      #else
      if let descriptor { _ = Darwin.close(descriptor) }
      #endif
      descriptor = nil
    }
  }
}

/// The beginning of a ZMTP 3 connection without security, byte by byte.
enum ZMTP {
  /// Greeting and READY command of a socket of a type.
  static func opening(_ socketType: String) -> [UInt8] {
    let signature: [UInt8] = [0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f]
    let mechanism = Array("NULL".utf8) + [UInt8](repeating: 0, count: 16)
    let greeting = signature + [3, 0] + mechanism + [UInt8](repeating: 0, count: 32)
    let name = Array("Socket-Type".utf8)
    let value = Array(socketType.utf8)
    let body =
      [5] + Array("READY".utf8) + [UInt8(name.count)] + name + [0, 0, 0, UInt8(value.count)] + value
    return greeting + [4, UInt8(body.count)] + body
  }

  /// The head of a frame that says to have so many bytes.
  static func longFrame(_ count: UInt64) -> [UInt8] {
    [2] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * UInt64($0))) }
  }
}
