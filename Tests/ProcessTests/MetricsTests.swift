import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// The daemon's numbers over HTTP: `stored --metrics`.
  @Suite(.timeLimit(.minutes(2))) struct MetricsTests {
    private static let question = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private func start(
      _ world: World,
      _ options: [String] = [],
    ) async throws -> (daemon: ChildProcess, port: UInt16) {
      let daemon = try await world.startDaemon(.stored, ["--metrics", "127.0.0.1:0"] + options)
      let found = try await daemon.errors.line("where the numbers are") {
        $0.contains(" http://127.0.0.1:")
      }
      let digits = found.line.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber }
      return (daemon, try #require(digits.flatMap { UInt16($0) }))
    }

    /// Returns the answer, up to the connection's end.
    private func ask(_ port: UInt16, _ question: String) async throws -> String {
      let descriptor = try RawPeer.connect(port: port)
      let answer = Watched<String?>(nil)
      Thread.detachNewThread {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        if RawPeer.send(Array(question.utf8), to: descriptor) {
          while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
          }
        }
        close(descriptor)
        let text = String(decoding: bytes, as: UTF8.self)
        answer.update { $0 = text }
      }
      return try await answer.wait(within: .seconds(30), for: "an answer") { $0 }
    }

    private func lines(_ answer: String) -> [String] {
      guard let body = answer.split(separator: "\r\n\r\n", maxSplits: 1).last else { return [] }
      return body.split(separator: "\n").map(String.init)
    }

    @Test func `A scrape returns the numbers of the status`() async throws {
      try await World.run { world in
        let (daemon, port) = try await start(world)
        try await world.send("counter", "incrementButtonTapped")
        let answer = try await ask(port, Self.question)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("\r\nContent-Type: text/plain; version=0.0.4"))
        let lines = lines(answer)
        #expect(lines.contains("storeactor_actions_applied_total 1"), "\(answer)")
        let status = try await world.client("status", "--prometheus")
        #expect(lines.filter { $0.hasPrefix("#") } == status.output.filter { $0.hasPrefix("#") })
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
      }
    }

    @Test func `A request for another host is refused, unless the name is set`() async throws {
      try await World.run { world in
        let (_, port) = try await start(world, ["--metrics-host", "box.example"])
        func status(_ host: String) async throws -> Substring {
          try await ask(port, "GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\r\n").prefix(12)
        }
        #expect(try await status("127.0.0.1:\(port)") == "HTTP/1.1 200")
        #expect(try await status("box.example:\(port)") == "HTTP/1.1 200")
        let refusal = try await ask(port, "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        #expect(refusal.hasPrefix("HTTP/1.1 421 "), "\(refusal)")
        #expect(!refusal.contains("storeactor_"))
        #expect(refusal.contains("--metrics-host"))
      }
    }

    @Test func `The metrics of the daemon's features are among the numbers`() async throws {
      try await World.run { world in
        let (_, port) = try await start(world)
        for action in ["incrementButtonTapped", "incrementButtonTapped", "startButtonTapped"] {
          _ = try await world.client("send", "counter", action)
        }
        let action = #"action="WorkspaceFeature.Action.counter(.incrementButtonTapped)""#
        let answer = lines(try await ask(port, Self.question))
        #expect(answer.contains("# TYPE storeactor_action_duration_seconds summary"))
        #expect(
          answer.contains("storeactor_action_duration_seconds_count{\(action)} 2"),
          "\(answer)",
        )
        let status = try await world.client("status", "--prometheus").output
        #expect(status.contains("storeactor_action_duration_seconds_count{\(action)} 2"))
      }
    }

    @Test(arguments: [
      ("GET / HTTP/1.1\r\n\r\n", "404"), ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
      ("nonsense\r\n\r\n", "400"), (String(repeating: "x", count: 20_000), "431"),
    ])
    func `Other requests are refused with the reason`(
      question: String,
      status: String,
    ) async throws {
      try await World.run { world in
        let (_, port) = try await start(world)
        #expect(try await ask(port, question).hasPrefix("HTTP/1.1 \(status) "))
        #expect(try await ask(port, Self.question).hasPrefix("HTTP/1.1 200 "))
      }
    }

    @Test func `Silent peers are disconnected without a wait`() async throws {
      try await World.run { world in
        let (daemon, port) = try await start(world)
        let silent = try (0..<20).map { _ in
          RawPeer(connected: try RawPeer.connect(port: port), sending: Array("GET /".utf8))
        }
        try await world.send("counter", "incrementButtonTapped")
        // The request follows all of them. Some peers are admitted only after others were closed
        // with a timeout.
        let answer = try await ask(port, Self.question)
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        for peer in silent { try await peer.closed() }
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
      }
    }

    @Test func `Silent peers keep no other peer out`() async throws {
      try await World.run { world in
        let (_, port) = try await start(world)
        let clock = ContinuousClock()
        var isPrompt = false
        // Each has five seconds for its request, unless another peer needs its place.
        for _ in 0..<5 where !isPrompt {
          let silent = try (0..<16).map { _ in try RawPeer.connect(port: port) }
          let start = clock.now
          let answer = try await ask(port, Self.question)
          isPrompt = clock.now - start < .seconds(4)
          for descriptor in silent { close(descriptor) }
          #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
        #expect(isPrompt)
      }
    }

    @Test func `A taken port, or an invalid address, keeps a daemon from starting`() async throws {
      try await World.run { world in
        let (_, port) = try await start(world)
        for (address, status) in [("\(port)", Int32(73)), ("localhost", 64), ("1.2.3.4:x", 64)] {
          let arguments = ["--dir", "\(world.directory)/other", "--metrics", address]
          let run = try await world.finish(world.start(.stored, arguments))
          #expect(run.end == .status(status), "\(run.errorText)")
          #expect(run.output == [] && run.errorText.contains("metrics"), "\(run.errorText)")
        }
        #expect(try await ask(port, Self.question).hasPrefix("HTTP/1.1 200 "))
      }
    }
  }
}
