import Foundation
import GenericState
import StoreState
import Testing
import ZeroMQ

@testable import StoreProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// Programs from before reducers refuse and reply, with programs of today.
  @Suite("Programs of an earlier release")
  struct EarlierReleaseTests {
    /// A recorded conversation of an earlier client with an earlier daemon.
    private struct Conversation {
      struct Line {
        var isOfClient: Bool
        var frame: [UInt8]
      }

      let lines: [Line]

      init(_ name: String) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appending(path: "Fixtures/Conversations/\(name).txt")
        lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
          .filter { !$0.hasPrefix("#") }
          .map { line in
            let parts = line.split(separator: " ")
            let digits = Array(try #require(parts.last).utf8)
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
              UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
            return Line(isOfClient: parts[0] == "client", frame: bytes)
          }
      }

      /// The daemon's frames of a kind.
      func answers(of kind: UInt64) -> [[UInt8]] {
        lines.filter { !$0.isOfClient && Self.kind(of: $0.frame) == kind }.map(\.frame)
      }

      static func elements(_ frame: [UInt8]) throws -> [GenericValue] {
        guard case .array(let items) = try GenericValue(encoded: frame) else { return [] }
        return Array(items)
      }

      static func kind(of frame: [UInt8]) -> UInt64? {
        guard case .unsigned(let kind)? = (try? elements(frame))?.first else { return nil }
        return kind
      }
    }

    @Test("A client of an earlier release is answered as by its own daemon")
    func earlierClient() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let conversation = try Conversation("send")
        let context = try Context()
        let socket = try Socket(context, kind: .dealer)
        defer { socket.close() }
        try socket.connect("ipc://\(world.directory)/ctl")
        let poller = Poller([.socket(socket)])
        var message = Message()
        // The daemon greets a connection with an empty message.
        func next() throws -> [UInt8] {
          while true {
            guard try poller.wait(timeout: .seconds(60)) > 0 else {
              throw ProcessFailure("The daemon has not answered.")
            }
            if try socket.receive(into: &message), message.count > 0 { return message.bytes }
          }
        }
        for line in conversation.lines {
          if line.isOfClient {
            _ = try socket.send(try today(line.frame))
            continue
          }
          let (frame, recorded) = (try next(), line.frame)
          let kind = Conversation.kind(of: recorded)
          #expect(Conversation.kind(of: frame) == kind)
          switch kind {
          case 65:
            let (one, other) = (
              try Conversation.elements(frame), try Conversation.elements(recorded),
            )
            // The version, the limits, and the features that both offer.
            #expect(one[1] == other[1] && one.count == other.count)
            #expect(one.suffix(3) == other.suffix(3))
          // The exposed scopes of today's program.
          case 74: break
          default: #expect(frame == recorded)
          }
        }
        #expect(try await world.get("counter")["count"] == 0)
      }
    }

    /// The client's frame with deadlines that are not over.
    private func today(_ frame: [UInt8]) throws -> [UInt8] {
      var elements = try Conversation.elements(frame)
      guard elements.first == .unsigned(4) else { return frame }
      let deadline = UInt64(Date().timeIntervalSince1970 * 1_000) + 600_000
      for place in stride(from: 4, to: elements.count, by: 3) {
        elements[place] = .unsigned(deadline)
      }
      var encoder = CBOREncoder()
      encoder.arrayHeader(elements.count)
      for element in elements { element.encode(to: &encoder) }
      return encoder.bytes
    }

    @Test("A daemon of an earlier release answers a client of today")
    func earlierDaemon() async throws {
      try await World.run { world in
        let conversation = try Conversation("send")
        let daemon = try await FalseDaemon(
          in: world.directory,
          answering: { request in
            let (kind, nonce): (UInt64?, UInt64?) =
              switch request {
              case .hello: (65, nil)
              case .join(let nonce, _): (68, nonce)
              case .actions: (71, nil)
              case .describe: (74, nil)
              default: (nil, nil)
              }
            return conversation.answers(of: kind ?? 0).filter { frame in
              let second = try? Conversation.elements(frame).dropFirst().first
              return nonce == nil || second == .unsigned(nonce ?? 0)
            }
          },
        )
        let run = try await world.client(
          "send",
          "counter",
          "incrementButtonTapped",
          "decrementButtonTapped",
        )
        withExtendedLifetime(daemon) {}
        #expect(run.isSuccess, "\(run.errorText)")
        #expect(run.output == ["applied at revision 1", "applied at revision 2"])
      }
    }
  }
}
