import Foundation
import GenericState
import StoreState
import Testing

@testable import StoreProtocol

extension ProcessTests {
  /// Clients of a malicious daemon.
  @Suite("Malicious daemons")
  struct FalseDaemonTests {
    /// A name that begins another line, and would color it.
    private static let forged = "a\n2  root  9\u{85}3\u{9B}31m\u{1B}[2J\u{202E}b"

    private static func item(_ value: GenericValue) -> ArraySlice<UInt8> {
      var encoder = CBOREncoder()
      value.encode(to: &encoder)
      return encoder.bytes[...]
    }

    @Test(arguments: [false, true])
    func `A name forges no row and controls no terminal`(isJSON: Bool) async throws {
      try await World.run { world in
        let document = try SchemaDocument(root: .bool, definitions: [:])
        let name = GenericValue.text(Self.forged)
        let session = GenericValue.map([
          .init(.text("name"), name), .init(.text("scopes"), .array([name])),
        ])
        let status = GenericValue.map([
          .init(.text("counters"), .map([.init(name, .unsigned(1))])),
          .init(.text("obstacle"), name), .init(.text("sessions"), .array([session])),
        ])
        let daemon = try await FalseDaemon(
          in: world.directory,
          scopes: [
            ScopeDescription(name: Self.forged, state: document, action: document, id: nil)
          ],
          says: { [item = Self.item(status)] message in
            guard case .status(let request) = message else { return nil }
            return [.status(request: request, item: item)]
          },
        )
        for command in ["status", "scopes", "describe"] {
          let run = try await world.client((isJSON ? ["--json"] : []) + [command])
          #expect(run.isSuccess, "\(run.errorText)")
          let text = run.output.joined(separator: "\n")
          #expect(text.contains("root") && !run.output.contains { $0.hasPrefix("2  root") })
          let controls = text.unicodeScalars.filter { $0.disturbsDisplay && $0 != "\n" }
          #expect(controls.isEmpty, "\(command): \(text.debugDescription)")
        }
        withExtendedLifetime(daemon) {}
      }
    }

    @Test func `A snapshot above the client's limit is refused before its transfer`() async throws {
      try await World.run { world in
        let daemon = try await FalseDaemon(
          in: world.directory,
          scopes: [try Self.lamp],
          says: Self.tooLarge,
        )
        let run = try await world.client("get", "lamp")
        withExtendedLifetime(daemon) {}
        #expect(run.end == .status(65), "\(run.errorText)")
        #expect(run.errorText.contains("268435457"), "\(run.errorText)")
        #expect(run.output == [])
      }
    }

    @Test func `A client's time limit ends also an endless answer`() async throws {
      try await World.run { world in
        let reach = DaemonMessage.Watermark(nonce: 0, sequence: 0)
        let daemon = try await FalseDaemon(
          in: world.directory,
          scopes: [try Self.lamp],
          flood: Array(repeating: .pong(number: 1, revision: 0, watermark: reach), count: 100),
        )
        let run = try await world.client("get", "lamp")
        withExtendedLifetime(daemon) {}
        #expect(run.end == .status(75), "\(run.errorText)")
        // The daemon exists, so another one is no remedy.
        let text = run.errorText
        #expect(text.contains("\(world.directory)") && text.contains("did not answer within"))
        #expect(text.hasSuffix("Try again, or look at its load."), "\(text)")
        #expect(!text.contains("tart one") && !text.contains("stored"), "\(text)")
        #expect(run.output == [])
      }
    }

    /// Accepts any join, and begins to send more than a client accepts.
    private static func tooLarge(_ message: ClientMessage) -> [DaemonMessage]? {
      guard case .join(let nonce, let requests) = message else { return nil }
      let topic = Topic(.unicastView, Identifier(high: 5, low: 6))
      let piece = DaemonMessage.SnapshotPiece(
        nonce: nonce,
        handle: 1,
        revision: 1,
        total: UInt64(Limits().snapshotBytes) + 1,
        offset: 0,
        bytes: [UInt8](repeating: 0, count: 1 << 16)[...],
      )
      let answers = requests.indices.map { index in
        DaemonMessage.JoinAnswer.accepted(handle: UInt64(index) + 1)
      }
      return [.joined(nonce: nonce, topic: topic, answers), .snapshot(piece)]
    }

    private static var lamp: ScopeDescription {
      get throws {
        let document = try SchemaDocument(root: .bool, definitions: [:])
        return ScopeDescription(name: "lamp", state: document, action: document, id: nil)
      }
    }
  }
}
