import Synchronization
import Testing

@testable import ZeroMQ

@Suite("Messages", .timeLimit(.minutes(1)))
struct MessageTests {
  private static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0) }
  }

  @Test("A new message is empty")
  func empty() {
    let message = Message()
    #expect(message.count == 0)
    #expect(message.isEmpty == true)
    #expect(message.bytes == [])
    #expect(message.more == false)
    #expect(message.property("Peer-Address") == nil)
  }

  @Test(
    "A message has the bytes it was created with",
    arguments: [0, 1, 33, 34, 1024, 1025, 70000],
  )
  func contents(count: Int) {
    let bytes = Self.bytes(count)
    let copied = Message(copying: bytes)
    #expect(copied.count == count)
    #expect(copied.bytes == bytes)
    let fromBuffer = bytes.withUnsafeBytes { RawBytes(Message(copying: $0).bytes) }
    #expect(fromBuffer.bytes == bytes)
    let adopted = Message(adopting: bytes)
    #expect(adopted.bytes == bytes)
  }

  @Test("A message can be filled in place")
  func filling() {
    var message = Message(size: 100)
    message.withUnsafeMutableBytes { $0.copyBytes(from: Self.bytes(100)) }
    #expect(message.bytes == Self.bytes(100))
  }

  @Test("A copy has the same bytes and outlives the original", arguments: [3, 500, 5000])
  func copies(count: Int) {
    var original = Message(adopting: Self.bytes(count))
    let first = original.copy()
    let second = original.copy()
    original = Message()
    #expect(first.bytes == Self.bytes(count))
    #expect(second.bytes == Self.bytes(count))
  }

  @Test("Copies of a long message share its bytes")
  func sharing() {
    var original = Message(copying: Self.bytes(5000))
    let copy = original.copy()
    let here = original.withUnsafeBytes { $0.baseAddress }
    let there = copy.withUnsafeBytes { $0.baseAddress }
    #expect(here == there)
  }

  @Test("A long array is adopted in place, a short one is copied")
  func adoption() {
    let long = Self.bytes(Message.adoptionThreshold + 1)
    let short = Self.bytes(Message.adoptionThreshold)
    #expect(address(of: long) == Message(adopting: long).withUnsafeBytes { $0.baseAddress })
    #expect(address(of: short) != Message(adopting: short).withUnsafeBytes { $0.baseAddress })
  }

  @Test("Changing an adopted array does not change the message")
  func adoptedArrayChanges() {
    var bytes = Self.bytes(5000)
    let message = Message(adopting: bytes)
    bytes[0] = 99
    #expect(message.bytes == Self.bytes(5000))
  }

  @Test("The closures of a message pass their own errors on")
  func errorsPass() {
    struct Failure: Error {}
    var message = Message(size: 4)
    #expect(throws: Failure.self) {
      try message.withUnsafeBytes { _ throws(Failure) -> Int in throw Failure() }
    }
    #expect(throws: Failure.self) {
      try message.withUnsafeMutableBytes { _ throws(Failure) -> Int in throw Failure() }
    }
  }

  @Test("An adopted owner is released exactly once, when the message was never sent")
  func releaseUnsent() {
    let releases = Releases()
    do {
      var message = Owner.message(count: 5000, releases)
      let copy = message.copy()
      message = Message()
      #expect(releases.count == 0)
      #expect(copy.bytes == [UInt8](repeating: 7, count: 5000))
    }
    #expect(releases.count == 1)
  }

  @Test("An adopted owner is released exactly once, when all peers have the message")
  @MainActor
  func releaseSent() throws {
    let releases = Releases()
    do {
      let pair = try Pair(.router, .dealer)
      var message = Owner.message(count: 100_000, releases)
      for _ in 0..<3 {
        let result = try pair.client.send(message.copy())
        try #require(result == .sent)
      }
      #expect(try pair.client.send(message) == .sent)
      for _ in 0..<4 {
        let frames = try pair.server.nextMessage()
        #expect(frames.last == [UInt8](repeating: 7, count: 100_000))
      }
    }
    // The context is terminated by now: its I/O thread has ended.
    #expect(releases.count == 1)
  }

  @Test("An adopted owner is released exactly once, when no peer took the message")
  func releaseRefused() throws {
    let releases = Releases()
    let context = try Context()
    let router = try Socket(context, kind: .router, options: .init { $0.routerMandatory = true })
    let result = try router.send(Owner.message(count: 5000, releases), more: true)
    #expect(result == .unroutable)
    #expect(releases.count == 1)
  }

  private func address(of array: [UInt8]) -> UnsafeRawPointer? {
    array.withUnsafeBytes { $0.baseAddress }
  }
}

private struct RawBytes {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

private final class Releases: Sendable {
  private let number = Mutex(0)

  var count: Int { number.withLock { $0 } }

  func add() { number.withLock { $0 += 1 } }
}

/// Owns bytes, and reports when it is released.
private final class Owner: Sendable {
  // Written only during creation, and freed when no reader is left.
  nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer
  private let releases: Releases

  private init(count: Int, _ releases: Releases) {
    self.releases = releases
    buffer = .allocate(byteCount: count, alignment: 1)
    buffer.initializeMemory(as: UInt8.self, repeating: 7)
  }

  static func message(count: Int, _ releases: Releases) -> Message {
    let owner = Owner(count: count, releases)
    return Message(adopting: UnsafeRawBufferPointer(owner.buffer), owner: owner)
  }

  deinit {
    buffer.deallocate()
    releases.add()
  }
}
