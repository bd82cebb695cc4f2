import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  @Suite("Refusals")
  struct RefusalTests {
    @Test("An unknown scope is refused with the nearest right names")
    func unknownScope() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        for command in [["get", "todoos"], ["watch", "todoos"], ["send", "todoos", #""x""#]] {
          let run = try await world.client(command)
          #expect(run.end == .status(65), "\(command)")
          #expect(run.errorText.contains("todoos"))
          #expect(run.errorText.contains("\"todos\""), "\(run.errorText)")
          #expect(run.output == [])
        }
        #expect(try await world.counter("actionsApplied") == 0)
      }
    }

    @Test("An unknown action is refused with the nearest right names, and is not sent")
    func unknownAction() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let run = try await world.client(
          "send",
          "counter",
          #""incrementButtonTapped""#,
          #""incrementButonTapped""#,
        )
        #expect(run.end == .status(65))
        #expect(run.errorText.contains("incrementButonTapped"))
        #expect(run.errorText.contains("\"incrementButtonTapped\""), "\(run.errorText)")
        #expect(try await world.get("counter")["count"] == 0)
        #expect(try await world.counter("actionsFailed") == 0)
      }
    }

    @Test("An action that does not fit is refused with the path and the expectation")
    func badAction() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let number = try await world.client("send", "todos", #"{"addButtonTapped":{"title":3}}"#)
        #expect(number.end == .status(65))
        #expect(
          number.errorText.contains("$.addButtonTapped.title: expected text, found 3"),
          "\(number.errorText)",
        )
        let extra = try await world.client(
          "send",
          "todos",
          #"{"addButtonTapped":{"title":"a","titel":"b"}}"#,
        )
        #expect(extra.end == .status(65))
        #expect(extra.errorText.contains("titel"))
        let text = try await world.client("send", "todos", "{")
        #expect(text.end == .status(65))
        #expect(try await world.get("todos")["items"] == [])
      }
    }

    @Test("A bad line of a stream is rejected in its place, and the others are applied")
    func badLine() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: [
          #""incrementButtonTapped""#, #"{"nonsense":1}"#, "", "}", #""incrementButtonTapped""#,
        ])
        let run = try await world.finish(sender)
        #expect(run.end == .status(65))
        let outcomes = try run.output.map { try JSONValue(parsing: $0)["outcome"]?.text }
        #expect(outcomes == ["applied", "rejected", "rejected", "applied"])
        #expect(try await world.get("counter")["count"] == 2)
      }
    }

    @Test func `What was not applied of an input is told with its line`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let absent = #"{"removed":{"id":"00000000-0000-0000-0000-000000000007"}}"#
        // Line numbers include empty lines.
        let lines = [#"{"addButtonTapped":{"title":"Milk"}}"#, "", "nonsense", absent, "}"]
        for options in [[], ["--json"]] {
          let sender = try world.startClient(options + ["send", "todos", "-"])
          sender.write(lines: lines)
          let run = try await world.finish(sender)
          #expect(run.end == .status(65) && run.output.count == 4, "\(run.output)")
          guard options.isEmpty else {
            let numbers = try run.output.map { try JSONValue(parsing: $0)["line"]?.int }
            #expect(numbers == [nil, 3, nil, 5], "\(run.output)")
            continue
          }
          #expect(run.output[1].hasPrefix("rejected: line 3: Todos.Action "), "\(run.output)")
          #expect(run.output[3].hasPrefix("rejected: line 5: "), "\(run.output)")
        }
        // An action on the command line has no line number.
        let run = try await world.client("--json", "send", "todos/items/7", "toggleButtonTapped")
        #expect(!run.output.joined().contains("line"), "\(run.output)")
      }
    }

    @Test func `A scope that takes no action is called read-only`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        for action in ["x", "-"] {
          let run = try await world.client("send", "presence", action)
          #expect(run.end == .status(65))
          #expect(
            run.errorText == "storectl: The scope \"presence\" is read-only: it takes no action."
          )
        }
      }
    }

    @Test func `What is no action at all is told without a path`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        for text in ["addButonTapped", "3", "{"] {
          let run = try await world.client("send", "todos", text)
          #expect(run.end == .status(65) && !run.errorText.contains("$"), "\(run.errorText)")
        }
      }
    }

    @Test func `A log of a scope that is not there names it, and the nearest`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        for options in [[], ["--tail", "3"], ["--follow"]] {
          let run = try await world.client(["log", "--scope", "todoos"] + options)
          #expect(run.end == .status(65), "\(run.errorText)")
          #expect(
            run.errorText.contains("no scope \"todoos\"; did you mean \"todos\""),
            "\(run.errorText)",
          )
        }
      }
    }

    @Test(
      "A misspelt command is answered with the nearest ones",
      arguments: [
        (Program.storectl, ["scope"], "\"scope\"; did you mean \"scopes\""),
        (.storectl, ["--json", "--dir", "/x", "wtach", "todos"], "did you mean \"watch\""),
        (.storectl, ["frobnicate"], "\"frobnicate\"; there are \"scopes\""),
        (.stored, ["confg"], "\"confg\"; did you mean \"config\""),
      ],
    )
    func misspeltCommand(program: Program, arguments: [String], words: String) async throws {
      try await World.run { world in
        let run = try await world.finish(world.start(program, arguments))
        #expect(run.end == .status(64) && run.output == [])
        #expect(run.errorText.contains("There is no command \""), "\(run.errorText)")
        #expect(run.errorText.contains(words), "\(run.errorText)")
      }
    }

    @Test func `What is too much behind a command is called by what it is`() async throws {
      try await World.run { world in
        for arguments in [["get", "todos", "lgo"], ["scopes", "scope"]] {
          let run = try await world.finish(world.start(.storectl, arguments))
          #expect(run.end == .status(64))
          #expect(!run.errorText.contains("no command"), "\(run.errorText)")
        }
      }
    }

    @Test("Without a daemon a command explains how to start one")
    func noDaemon() async throws {
      try await World.run { world in
        for command in [["get", "counter"], ["status"], ["send", "counter", #""x""#]] {
          let clock = ContinuousClock()
          let start = clock.now
          let run = try await world.client(command)
          #expect(run.end == .status(69), "\(command): \(run.errorText)")
          #expect(run.errorText.contains("stored --dir \(world.directory)"))
          #expect(clock.now - start < .seconds(2) * TestPatience.factor)
        }
      }
    }

    @Test func `Where nobody listens that is told at once`() async throws {
      try await World.run { world in
        var times: [Duration] = []
        // The first run reads the program from the disk.
        for _ in 0..<7 {
          let start = ContinuousClock.now
          let run = try await world.client("status")
          #expect(run.end == .status(69))
          times.append(ContinuousClock.now - start)
        }
        let limit = Duration.milliseconds(100) * TestPatience.load
        #expect(try #require(times.min()) < limit, "\(times)")
      }
    }

    @Test func `A daemon that does not answer is told by its pid`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        daemon.send(signal: SIGSTOP)
        let run = try await world.client("status")
        daemon.send(signal: SIGCONT)
        #expect(run.end == .status(70))
        #expect(run.errorText.contains("pid \(daemon.pid) "), "\(run.errorText)")
        #expect(try await world.client("status").isSuccess)
      }
    }

    #if os(Linux)
    @Test func `A daemon that too many come to at once is not to be ended`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        daemon.send(signal: SIGSTOP)
        try ConnectionFlood.makeRoom(for: 4_200)
        var crowd: [Int32] = []
        while let one = try? RawPeer.connect("\(world.directory)/ctl", waits: false) {
          crowd.append(one)
        }
        let run = try await world.client("status")
        for one in crowd { close(one) }
        daemon.send(signal: SIGCONT)
        #expect(crowd.count > 100)
        #expect(run.end == .status(70))
        #expect(run.errorText.contains("so many come at once"), "\(run.errorText)")
        #expect(!run.errorText.contains("kill"), "\(run.errorText)")
        _ = try await world.watch("counter")
      }
    }
    #endif

    @Test(arguments: [["counter", "incrementButtonTapped"], ["counter", "-"]])
    func `The time that send is given covers connecting as well`(arguments: [String]) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        daemon.send(signal: SIGSTOP)
        let run = try await world.client(["send", "--timeout", "0.3"] + arguments)
        #expect(run.end == .status(70), "\(run.errorText)")
        #expect(run.errorText.contains("did not answer within 0.3 seconds"), "\(run.errorText)")
        // More than the default time limit of 1.5 seconds.
        let patient = try world.startClient(["send", "--timeout", "300"] + arguments)
        patient.write(lines: ["incrementButtonTapped"])
        patient.closeInput()
        await withCheckedContinuation { continuation in
          Deadline.after(.milliseconds(2_500)) { continuation.resume() }
        }
        #expect(patient.isRunning)
        daemon.send(signal: SIGCONT)
        #expect(try await patient.ended() == .status(0), "\(patient.report)")
        #expect(try await world.get("counter")["count"] == 1)
      }
    }

    @Test func `A watcher ends when its reader has gone, though nothing changes`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let script = #""$0" "$@" | head -1"#
        let watcher = try world.start(
          .storectl,
          ["--dir", world.directory, "watch", "counter"],
          script: script,
        )
        #expect(try await watcher.ended(within: .seconds(10)) == .status(0))
        #expect(watcher.output.lines.count == 1)
      }
    }

    @Test("A second daemon on a directory is refused with the first one's pid")
    func secondDaemon() async throws {
      try await World.run { world in
        let first = try await world.startDaemon()
        let second = try world.start(.stored, ["--dir", world.directory])
        let run = try await world.finish(second)
        #expect(run.end == .status(73))
        #expect(run.errorText.contains("\(first.pid)"))
        #expect(run.output == [])
        #expect(try await world.get("counter")["count"] == 0)
      }
    }

    @Test("A path that no socket can have is a clear error")
    func longPath() async throws {
      try await World.run { world in
        let directory = "\(world.directory)/\(String(repeating: "d", count: 110))"
        let run = try await world.finish(world.start(.stored, ["--dir", directory]))
        #expect(run.end == .status(64))
        #expect(run.errorText.contains("107"), "\(run.errorText)")
      }
    }

    @Test(
      "An invalid command line is a usage error",
      arguments: [
        ["--nonsense"], ["get"], ["watch"], ["send", "counter"],
        ["watch", "counter", "--count", "0"],
        ["--connect", "udp://x", "status"], ["frobnicate"],
      ],
    )
    func clientUsage(arguments: [String]) async throws {
      try await World.run { world in
        let run = try await world.finish(world.start(.storectl, arguments))
        #expect(run.end == .status(64), "\(arguments): \(run.errorText)")
        #expect(run.output == [])
        #expect(run.errors != [])
      }
    }

    @Test(
      "A daemon's invalid command line is a usage error",
      arguments: [
        ["--nonsense"], ["--listen", "tcp://nowhere"], ["--lease-ms", "1"], ["--lease-ms", "x"],
        ["--lease-ms", "1000", "--grace-ms", "2000"], ["surplus"],
        ["--insecure-loopback", "--listen", "tcp://localhost:5999"],
        ["--insecure-loopback", "--listen", "tcp://[::1]:5999"], ["--listen", "tcp://*:5999"],
        ["--listen", "tcp://127.example:5999", "--insecure-loopback"],
      ],
    )
    func daemonUsage(arguments: [String]) async throws {
      try await World.run { world in
        let daemon = try world.start(.stored, ["--dir", world.directory] + arguments)
        let run = try await world.finish(daemon)
        #expect(run.end == .status(64), "\(arguments): \(run.errorText)")
        #expect(run.output == [])
        #expect(run.errors != [])
      }
    }

    @Test func `A daemon says aloud where everybody may do everything`() async throws {
      try await World.run { world in
        let options = ["--insecure-loopback", "--listen", "tcp://127.0.0.1:1"]
        let daemon = try world.start(.stored, ["--dir", world.directory] + options)
        _ = try await daemon.errors.line("the warning") {
          $0.contains("Every user") && $0.contains(options[2])
        }
      }
    }
  }
}
