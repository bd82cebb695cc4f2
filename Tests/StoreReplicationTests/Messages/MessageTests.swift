import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreServer

/// Messages as frames: docs/PROTOCOL.md §6, §8.
@Suite struct MessageTests {
  /// Every sample's frame, and a closure that decodes it into a comparable value.
  static let frames: [Frame] = {
    let fence = Fence(token: MessageSamples.identifier(1), nonce: 5).encoded()
    var frames: [Frame] = []
    frames += MessageSamples.client.map {
      Frame($0.encoded()) { AnyHashable(try ClientMessage(frame: $0)) }
    }
    frames += MessageSamples.daemon.map {
      Frame($0.encoded()) { AnyHashable(try DaemonMessage(frame: $0)) }
    }
    frames += MessageSamples.published.map {
      Frame($0.encoded()) { AnyHashable(try PublishedMessage(frame: $0)) }
    }
    frames.append(Frame(Welcome(epoch: 77).encoded()) { AnyHashable(try Welcome(frame: $0)) })
    frames.append(Frame(fence) { AnyHashable(try Fence(frame: $0)) })
    return frames
  }()

  struct Frame: Sendable {
    let frame: [UInt8]
    let decode: @Sendable (ArraySlice<UInt8>) throws -> AnyHashable

    init(
      _ frame: [UInt8],
      _ decode: @escaping @Sendable (ArraySlice<UInt8>) throws -> AnyHashable,
    ) {
      self.frame = frame
      self.decode = decode
    }
  }

  @Test("§8: a daemon decodes a client's message to the same value")
  func clientRoundTrip() throws {
    for message in MessageSamples.client {
      #expect(try ClientMessage(frame: message.encoded()[...]) == message)
    }
  }

  @Test("§8: a client decodes a daemon's message to the same value")
  func daemonRoundTrip() throws {
    for message in MessageSamples.daemon {
      #expect(try DaemonMessage(frame: message.encoded()[...]) == message)
    }
    for message in MessageSamples.published {
      #expect(try PublishedMessage(frame: message.encoded()[...]) == message)
    }
  }

  @Test("§6: welcome, fence and topics survive encoding and decoding")
  func otherFrames() throws {
    #expect(try Welcome(frame: Welcome(epoch: .max).encoded()[...]) == Welcome(epoch: .max))
    let fence = Fence(token: MessageSamples.identifier(9), nonce: 4)
    #expect(try Fence(frame: fence.encoded()[...]) == fence)
    let topic = Topic(.view, MessageSamples.identifier(3))
    #expect(topic.bytes.count == Topic.byteCount)
    #expect(Topic(bytes: topic.bytes) == topic)
    #expect(Topic(bytes: topic.bytes.dropLast()) == nil)
    #expect(Topic(bytes: [0x10] + topic.bytes.dropFirst()) == nil)
  }

  @Test("A frame cut short anywhere gives one clean error")
  func truncation() {
    for sample in Self.frames {
      let (frame, decode) = (sample.frame, sample.decode)
      for length in 0..<frame.count {
        #expect(throws: CodecError.self) { try decode(frame[..<length]) }
      }
    }
  }

  @Test("A frame with any byte changed gives a message or one clean error")
  func flippedBytes() throws {
    for sample in Self.frames {
      let (frame, decode) = (sample.frame, sample.decode)
      for place in frame.indices {
        for mask in [0x01, 0x20, 0x80, 0xff] as [UInt8] {
          var flipped = frame
          flipped[place] ^= mask
          do {
            _ = try decode(flipped[...])
          } catch {
            #expect(error is CodecError)
          }
        }
      }
    }
  }

  @Test("Reading a frame does not depend on its position in memory")
  func slices() throws {
    for sample in Self.frames {
      let (frame, decode) = (sample.frame, sample.decode)
      let padded = [0xff, 0xff, 0xff] + frame + [0xff]
      #expect(try decode(padded[3..<(3 + frame.count)]) == decode(frame[...]))
    }
  }

  @Test("Bytes after the message are refused")
  func trailingBytes() {
    for sample in Self.frames {
      let (frame, decode) = (sample.frame, sample.decode)
      #expect(throws: CodecError.self) { try decode((frame + [0xf6])[...]) }
    }
  }

  @Test("§8: elements after the known ones are ignored")
  func laterElements() throws {
    for message in MessageSamples.client {
      // Actions use every known element.
      if case .actions = message { continue }
      #expect(try ClientMessage(frame: longer(message.encoded())[...]) == message)
    }
    for message in MessageSamples.daemon {
      #expect(try DaemonMessage(frame: longer(message.encoded())[...]) == message)
    }
    for message in MessageSamples.published {
      if case .deltas = message { continue }
      #expect(try PublishedMessage(frame: longer(message.encoded())[...]) == message)
    }
  }

  @Test("An array without a kind is no message")
  func noKind() {
    for frame in [[0x80], [0x01], [0x81, 0x60]] as [[UInt8]] {
      #expect(throws: CodecError.self) { try ClientMessage(frame: frame[...]) }
      #expect(throws: CodecError.self) { try DaemonMessage(frame: frame[...]) }
      #expect(throws: CodecError.self) { try PublishedMessage(frame: frame[...]) }
    }
  }

  @Test("A client's message of a later version is recognized if all of it is well-formed")
  func unknownKinds() throws {
    let frames: [[UInt8]] = [[0x81, 0x03], [0x83, 0x03, 0x61, 0x78, 0xf6]]
    for frame in frames {
      #expect(try ClientMessage(frame: frame[...]) == .unknown(kind: 3))
      #expect(throws: CodecError.self) { try DaemonMessage(frame: frame[...]) }
      #expect(throws: CodecError.self) { try PublishedMessage(frame: frame[...]) }
    }
    for frame in [[0x82, 0x03], [0x81, 0x03, 0x00], [0x82, 0x03, 0x18, 0x00]] as [[UInt8]] {
      #expect(throws: CodecError.self) { try ClientMessage(frame: frame[...]) }
    }
  }

  @Test("§8: a hello without the later elements has one version and no features")
  func shortHello() throws {
    for hello in MessageSamples.client {
      guard case .hello(let full) = hello else { continue }
      var encoder = CBOREncoder()
      encoder.message(1, 6)
      encoder.encode(unsigned: full.version)
      encoder.encode(full.clientID)
      if let token = full.token { encoder.encode(token) } else { encoder.encodeNull() }
      encoder.encode(unsigned: full.firstSequence)
      encoder.encode(text: full.name)
      encoder.encode(unsigned: full.isListed ? 1 : 0)
      guard case .hello(let short) = try ClientMessage(frame: encoder.bytes[...]) else {
        Issue.record("Not a hello")
        return
      }
      #expect(short.version == full.version && short.lowestVersion == full.version)
      #expect(short.features == [])
      #expect(short.clientID == full.clientID && short.name == full.name)
    }
  }

  @Test("§8: a hello with the newest revision has one more element for an older daemon")
  func longHello() throws {
    var hello = ClientMessage.Hello(
      clientID: MessageSamples.identifier(0),
      token: nil,
      firstSequence: 1,
      name: "demo",
      isListed: true,
    )
    let short = ClientMessage.hello(hello).encoded()
    hello.newest = ClientMessage.Position(epoch: 7, revision: 3)
    let long = ClientMessage.hello(hello).encoded()
    // The nine known elements, and one after them, which older daemons skip (§8).
    #expect(long == [short[0] + 1] + short.dropFirst() + [0x82, 0x07, 0x03])
    #expect(try ClientMessage(frame: long[...]) == .hello(hello))
    let none = [short[0] + 1] + short.dropFirst() + [0xf6]
    #expect(try ClientMessage(frame: none[...]).encoded() == short)
    let bad = [short[0] + 1] + short.dropFirst() + [0x81, 0x07]
    #expect(throws: CodecError.self) { try ClientMessage(frame: bad[...]) }
  }

  @Test("A welcome of another version is refused")
  func otherVersion() {
    #expect(throws: CodecError.self) { try Welcome(frame: [0x10, 0x82, 0x02, 0x00]) }
  }

  @Test("A message of fewer elements than its kind needs is refused")
  func missingElements() {
    for frame in [[0x82, 0x05, 0x01], [0x81, 0x06], [0x82, 0x02, 0x01]] as [[UInt8]] {
      #expect(throws: CodecError.self) { try ClientMessage(frame: frame[...]) }
    }
  }

  /// The same array with two more elements at its end; the samples are shorter than 22 elements.
  private func longer(_ frame: [UInt8]) -> [UInt8] {
    [frame[0] + 2] + frame.dropFirst() + [0xf6, 0x61, 0x78]
  }
}
