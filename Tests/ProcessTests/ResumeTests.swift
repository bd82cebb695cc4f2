import GenericState
import StoreProtocol
import StoreState
import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// Clients that return to a daemon at its limit of sessions, or after many revisions.
  @Suite("Clients that return", .timeLimit(.minutes(2)))
  struct ResumeTests {
    @Test func `A user with all allowed sessions resumes one, and opens no other`() async throws {
      try await World.run { world in
        let daemon = try await TCPDaemon.start(world, ["--lease-ms", "60000"])
        let line = try await world.invite("laptop", "--grant", "counter:see")
        let guest = try Guest(world, "guest", at: daemon.address)
        #expect(try await guest.enrol(line).isSuccess)
        let (server, pair) = try guest.keys()
        let context = try Context()
        func connect() throws -> RawSocket {
          let client = CurveClient(server: server, pair: pair)
          return try RawSocket(context, .dealer, to: daemon.address, as: client)
        }
        var sessions: [(socket: RawSocket, ok: DaemonMessage.HelloOK)] = []
        for number in 0..<256 as Range<UInt64> {
          let socket = try connect()
          guard case .helloOK(let ok) = try greet(.rawHello(number), on: socket) else { break }
          sessions.append((socket, ok))
        }
        try #require(sessions.count == 256)
        try refused(.rawHello(1_000), on: connect())
        let (socket, ok) = sessions.removeFirst()
        socket.close()
        let back = try connect()
        let again = try greet(.rawHello(0, token: ok.token), on: back)
        guard case .helloOK(let resumed) = again else {
          Issue.record("The returning client gets \(again)")
          return
        }
        #expect(resumed.isResumed && resumed.session == ok.session)
        try refused(.rawHello(1_001), on: connect())
        #expect(try await world.counter("refusedSessions") == 2)
      }
    }

    /// Returns the answer to a hello; a hello above the rate is ignored, and is repeated.
    private func greet(_ hello: ClientMessage, on socket: RawSocket) throws -> DaemonMessage {
      for _ in 0..<60 {
        try socket.send(hello)
        let answer = try? socket.firstMessage(within: .milliseconds(500)) { message in
          switch message {
          case .helloOK, .refused: message
          default: nil
          }
        }
        if let answer { return answer }
      }
      throw ProcessFailure("the daemon does not answer a hello")
    }

    private func refused(_ hello: ClientMessage, on socket: RawSocket) throws {
      let answer = try greet(hello, on: socket)
      guard case .refused("overloaded", _) = answer else {
        Issue.record("One session above the limit gets \(answer)")
        return
      }
    }

    @Test func `After more than the kept changes a client gets a whole state, else the changes`()
      async throws
    {
      try await World.run { world in
        let options = ["--in-memory", "--lease-ms", "60000", "--grace-ms", "60000"]
        _ = try await world.startDaemon(.stored, options)
        let first = try RawSocket(world, .dealer, "ctl")
        let ok = try hello(.rawHello(1, isListed: false), on: first)
        first.close()
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: Array(repeating: #""incrementButtonTapped""#, count: 1_200))
        #expect(try await world.finish(sender).isSuccess)
        let control = try RawSocket(world, .dealer, "ctl")
        let publishing = try RawSocket(world, .xsub, "pub")
        let again = try hello(.rawHello(1, isListed: false, token: ok.token), on: control)
        #expect(again.isResumed && again.revision >= 1_200)
        for (nonce, revision, isWhole) in [(1, 0, true), (2, again.revision - 10, false)]
          as [(UInt64, UInt64, Bool)]
        {
          let position = ClientMessage.Position(epoch: ok.epoch, revision: revision)
          try control.send(.rawJoin(nonce: nonce, ["counter"], position: position))
          let topic = try control.firstMessage {
            if case .joined(nonce, let topic?, _) = $0 { topic } else { nil }
          }
          for topic in [again.privateTopic, topic] { try publishing.send([1] + topic.bytes) }
          try publishing.send(Fence(token: again.token, nonce: nonce).encoded())
          let isSnapshot = try control.firstMessage { message in
            switch message {
            case .snapshot: true
            case .replay: false
            default: nil
            }
          }
          #expect(isSnapshot == isWhole, "from revision \(revision)")
        }
      }
    }

    @Test func `After a kill, watchers of quiet and of busy scopes continue without a snapshot`()
      async throws
    {
      try await World.run { world in
        let first = try await world.startDaemon()
        var (quiet, busy): ([ChildProcess], [ChildProcess]) = ([], [])
        for _ in 0..<6 {
          quiet.append(try await world.watch("counter", "--deltas"))
          busy.append(try await world.watch("todos", "--deltas"))
        }
        // More revisions than versions are kept, of which none concerns the counter.
        let sender = try world.startClient("--json", "send", "todos", "-")
        sender.write(lines: (0..<3_000).map { #"{"addButtonTapped":{"title":"no. \#($0)"}}"# })
        #expect(try await world.finish(sender, within: .seconds(60)).isSuccess)
        for watcher in busy {
          _ = try await watcher.output.line("the last todo") { $0.contains("no. 2999") }
        }
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        _ = try await world.startDaemon()
        while try await world.counter("replays") < 12 {}
        #expect(try await world.counter("snapshots") == 0)
        try await world.send("counter", "incrementButtonTapped")
        try await world.send("todos", #"{"addButtonTapped":{"title":"new"}}"#)
        for watcher in quiet {
          _ = try await watcher.output.line("the count") { $0.contains(#""count":1"#) }
        }
        for watcher in busy {
          _ = try await watcher.output.line("the new todo") { $0.contains(#""new""#) }
        }
        #expect(try await world.counter("snapshots") == 0)
      }
    }

    private func hello(
      _ message: ClientMessage,
      on socket: RawSocket,
    ) throws -> DaemonMessage.HelloOK {
      try socket.send(message)
      return try socket.firstMessage { if case .helloOK(let ok) = $0 { ok } else { nil } }
    }
  }
}
