import Foundation
import GenericState
import StoreProtocol
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// The service from which a daemon requests facts, and the clients that cause the requests.
  @Suite("Facts")
  struct FactTests {
    @Test("Requested and abandoned facts, and too long answers, do no harm")
    func leaving() async throws {
      try await World.run { world in
        let service = try FactService("200 OK", body: String(repeating: "7", count: 100_000))
        let daemon = try await world.startDaemon(
          .stored,
          ["--number-fact-url", service.url, "--grace-ms", "10"],
        )
        // It stays until the service has a request; the clients below may leave before a request.
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: [#""numberFactButtonTapped""#])
        try await service.isAsked()
        #expect(try await world.finish(sender).isSuccess)
        for number: UInt64 in 0..<50 {
          var messages = [
            ClientMessage.rawHello(number), .rawJoin(["counter"], mode: .sendOnly),
            .rawActions("numberFactButtonTapped", count: 3), .cancel(sequence: 2),
          ]
          if number.isMultiple(of: 2) { messages.append(.bye) }
          let peer = try RawPeer(
            "\(world.directory)/ctl",
            as: "DEALER",
            sending: messages.flatMap { ZMTP.longMessage($0.encoded()) },
            afterwards: .hangsUp,
          )
          try await peer.closed()
        }
        try await world.send("counter", #""incrementButtonTapped""#)
        #expect(try await world.get("counter")["count"] == 1)
        #expect(daemon.isRunning)
      }
    }

    @Test("All clients together do not exceed the rate limit of the service")
    func pace() async throws {
      try await World.run { world in
        let service = try FactService("200 OK", body: "a fact")
        let daemon = try await world.startDaemon(.stored, ["--number-fact-url", service.url])
        let watcher = try await world.watch("counter")
        let senders = try (0..<2).map { _ in
          try world.startClient("--json", "send", "counter", "-")
        }
        let clock = ContinuousClock()
        let start = clock.now
        // In sequence, so that no fact is withdrawn before its request.
        for count in 1...30 {
          for sender in senders {
            sender.write(lines: [#""numberFactButtonTapped""#])
            _ = try await sender.output.lines(atLeast: count)
          }
        }
        try await watcher.output.state("that it was too often") {
          $0.text().contains("is asked too often")
        }
        for sender in senders { #expect(try await world.finish(sender).isSuccess) }
        let most = 10 + Int((clock.now - start) / .milliseconds(500)) + 1
        #expect((1...most).contains(service.requestCount), "\(service.requestCount) of \(most)")
        #expect(daemon.isRunning)
      }
    }

    @Test func `A client that asks too often does not take the others' facts`() async throws {
      try await World.run { world in
        let service = try FactService("200 OK", body: "a fact")
        _ = try await world.startDaemon(.stored, ["--number-fact-url", service.url])
        let watcher = try await world.watch("counter")
        let greedy = try world.startClient("--json", "send", "counter", "-")
        // In sequence, so that no fact is withdrawn before its request.
        var place = 0
        while watcher.output.lines[place...].allSatisfy({ !$0.contains("too often") }) {
          let count = service.requestCount
          try #require(count <= 9)
          place = watcher.output.lines.count
          greedy.write(lines: [#""numberFactButtonTapped""#])
          try await watcher.output.state(from: place, "an answer") {
            $0["numberFactAlert"] != .null
          }
        }
        let other = try world.startClient("--json", "send", "counter", "-")
        place = watcher.output.lines.count
        other.write(lines: [#""numberFactButtonTapped""#])
        try await watcher.output.state(from: place, "a fact") { $0.text().contains("a fact") }
        for sender in [greedy, other] { #expect(try await world.finish(sender).isSuccess) }
      }
    }

    @Test("A redirect of the service is not followed, and that is shown")
    func redirect() async throws {
      try await World.run { world in
        let other = try FactService("200 OK", body: "a secret")
        let service = try FactService("302 Found\r\nLocation: \(other.url)/")
        _ = try await world.startDaemon(.stored, ["--number-fact-url", service.url])
        let watcher = try await world.watch("counter")
        // It stays until the fact has arrived, since its effects end with it.
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: [#""numberFactButtonTapped""#])
        try await watcher.output.state("the service's answer") {
          $0.text().contains("status 302")
        }
        try await service.isAsked()
        #expect(!other.wasAsked)
        #expect(try await world.finish(sender).isSuccess)
      }
    }
  }
}
