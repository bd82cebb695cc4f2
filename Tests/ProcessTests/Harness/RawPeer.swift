import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A peer on a socket's file that sends arbitrary bytes.
final class RawPeer: Sendable {
  private let open: OpenDescriptor
  private let isReady = Watched(false)
  private let isClosed = Watched(false)
  private let heard = Watched<[UInt8]>([])

  /// A peer's behavior after it has sent everything.
  enum Manner {
    /// Reads until the other side closes.
    case listens
    /// Closes without reading.
    case hangsUp
    /// Stays connected without reading.
    case ignores
    /// Waits without reading until the other side closes.
    case stalls
  }

  /// Connects, sends the bytes and reads until the other side closes.
  ///
  /// With a socket type a valid handshake of such a ZeroMQ socket precedes the bytes. The flood is
  /// sent repeatedly after the bytes, until the other side closes.
  convenience init(
    _ path: String,
    as socketType: String? = nil,
    routingID: [UInt8] = [],
    sending bytes: [UInt8],
    flood: [UInt8] = [],
    afterwards: Manner = .listens,
  ) throws {
    try self.init(
      connected: Self.connect(path),
      as: socketType,
      routingID: routingID,
      sending: bytes,
      flood: flood,
      afterwards: afterwards,
    )
  }

  /// Does the same on an existing connection.
  init(
    connected descriptor: Int32,
    as socketType: String? = nil,
    routingID: [UInt8] = [],
    sending bytes: [UInt8],
    flood: [UInt8] = [],
    afterwards: Manner = .listens,
  ) {
    let open = OpenDescriptor(descriptor)
    self.open = open
    let isReady = isReady
    let (isClosed, heard) = (isClosed, heard)
    let opening = socketType.map { ZMTP.opening($0, routingID: routingID) }
    Thread.detachNewThread {
      let answer = opening.map { Self.shakeHands(descriptor, $0) } ?? []
      heard.update { $0 = answer ?? [] }
      var isOpen = answer != nil
      isOpen = isOpen && Self.send(bytes, to: descriptor)
      isReady.update { $0 = isOpen }
      while isOpen, !flood.isEmpty { isOpen = Self.send(flood, to: descriptor) }
      var buffer = [UInt8](repeating: 0, count: 4096)
      guard afterwards != .ignores else { return }
      while isOpen, afterwards == .listens {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        isOpen = count > 0
        if isOpen { heard.update { $0 += buffer.prefix(count) } }
      }
      if isOpen, afterwards == .stalls { Self.awaitHangUp(descriptor) }
      open.close()
      isClosed.update { $0 = true }
    }
  }

  deinit { open.hangUp() }

  /// Waits until it was admitted and has sent the bytes.
  func ready(within time: Duration = .seconds(20)) async throws {
    try await isReady.wait(within: time, for: "the handshake") { $0 ? true : nil }
  }

  /// Sends more bytes; false when the other side has closed.
  func send(_ bytes: [UInt8]) -> Bool { open.use { Self.send(bytes, to: $0) } ?? false }

  /// All bytes of the other side since the admission; empty unless the peer listens.
  var received: [UInt8] { heard.value }

  /// Waits until the other side's bytes contain a text.
  func hears(_ text: String) async throws {
    let bytes = Array(text.utf8)
    try await hears(text) { $0.contains(bytes) ? true : nil }
  }

  /// Waits until `find` returns a value for all bytes of the other side.
  @discardableResult
  func hears<Found: Sendable>(
    _ what: String,
    within time: Duration = .seconds(20),
    _ find: @escaping @Sendable ([UInt8]) -> Found?,
  ) async throws -> Found {
    try await heard.wait(within: time, for: what, find)
  }

  /// Whether the other side has closed the connection.
  var isOver: Bool { isClosed.value }

  /// Ends the connection.
  func hangUp() { open.hangUp() }

  /// Waits until the other side has closed the connection.
  func closed(within time: Duration = .seconds(20)) async throws {
    try await isClosed.wait(within: time, for: "the connection's end") { $0 ? true : nil }
  }

  /// Connects to a port of this machine.
  static func connect(port: UInt16) throws -> Int32 {
    #if canImport(Glibc)
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #if canImport(Glibc)
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        #else
        Darwin.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        #endif
      }
    }
    guard descriptor >= 0, status == 0 else {
      throw ProcessFailure("connecting to \(port) failed: \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// Connects to a socket's file; with `waits` it blocks while the backlog is full.
  static func connect(_ path: String, waits: Bool = true) throws -> Int32 {
    #if canImport(Glibc)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    if !waits { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
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
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw ProcessFailure("connecting to \(path) failed: \(reason)")
    }
    return descriptor
  }

  private static func awaitHangUp(_ descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    while poll(&entry, 1, -1) <= 0 {}
  }

  /// Sends the opening and waits for READY: the other side closes a peer that sends earlier.
  ///
  /// - Returns: The bytes after READY; nil if READY did not arrive.
  private static func shakeHands(_ descriptor: Int32, _ opening: [UInt8]) -> [UInt8]? {
    guard send(opening, to: descriptor) else { return nil }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    // A greeting of 64 bytes, and a command that begins with its flags and its size.
    while answer.count < 66 || answer.count < 66 + Int(answer[65]) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      answer += buffer.prefix(count)
    }
    return Array(answer.dropFirst(66 + Int(answer[65])))
  }

  /// Sends bytes; false when the other side has closed.
  static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
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

/// A descriptor that one thread closes and other threads may shut down.
private final class OpenDescriptor: Sendable {
  private let descriptor: Mutex<Int32?>

  init(_ descriptor: Int32) { self.descriptor = Mutex(descriptor) }

  deinit { close() }

  func use(_ body: (Int32) -> Bool) -> Bool? {
    descriptor.withLock { $0.map(body) }
  }

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
  /// The greeting and the READY command of a socket type, with an optional routing id.
  static func opening(_ socketType: String, routingID: [UInt8] = []) -> [UInt8] {
    let signature: [UInt8] = [0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f]
    let mechanism = Array("NULL".utf8) + [UInt8](repeating: 0, count: 16)
    let greeting = signature + [3, 0] + mechanism + [UInt8](repeating: 0, count: 32)
    let body =
      [5] + Array("READY".utf8) + property("Socket-Type", Array(socketType.utf8))
      + (routingID.isEmpty ? [] : property("Identity", routingID))
    return greeting + [4, UInt8(body.count)] + body
  }

  private static func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
    [UInt8(name.utf8.count)] + Array(name.utf8) + [0, 0, 0, UInt8(value.count)] + value
  }

  /// A short frame with a message.
  static func message(_ body: [UInt8]) -> [UInt8] {
    precondition(body.count < 256, "a short frame has less than 256 bytes, not \(body.count)")
    return [0, UInt8(body.count)] + body
  }

  /// The bodies of the complete frames.
  static func frames(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var frames: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let flags = rest.first {
      let sizeBytes = flags & 2 == 0 ? 1 : 8
      let head = rest.dropFirst().prefix(sizeBytes)
      let size = head.reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(1 + sizeBytes)
      guard head.count == sizeBytes, rest.count >= size else { break }
      frames.append(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return frames
  }

  /// A frame with a message of any size.
  static func longMessage(_ body: [UInt8]) -> [UInt8] { longFrame(UInt64(body.count)) + body }

  /// The same in the protocol's first version, which has no greeting.
  static func oldMessage(_ body: [UInt8]) -> [UInt8] {
    precondition(body.count < 254, "a short frame has less than 254 bytes, not \(body.count)")
    return [UInt8(body.count + 1), 0] + body
  }

  /// A heartbeat that requests another.
  static let ping: [UInt8] = [4, 7, 4] + Array("PING".utf8) + [0, 0]

  /// The head of a frame that announces `count` bytes.
  static func longFrame(_ count: UInt64) -> [UInt8] {
    [2] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * UInt64($0))) }
  }
}
