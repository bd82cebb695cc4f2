import Foundation
import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  @Suite("The programs' environment")
  struct SurroundingsTests {
    @Test("A signal that arrives as soon as the daemon is ready is not lost")
    func earlySignal() async throws {
      try await World.run { world in
        for _ in 0..<15 {
          let daemon = try await world.startDaemon()
          daemon.send(signal: SIGTERM)
          #expect(try await daemon.ended(within: .seconds(10)) == .status(0))
        }
      }
    }

    @Test("A daemon that a signal stops notifies its clients", arguments: [SIGTERM, SIGINT])
    func goodbye(signal: Int32) async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let watcher = try await world.watch("counter")
        daemon.send(signal: signal)
        #expect(try await daemon.ended() == .status(0))
        _ = try await watcher.errors.line("the daemon's goodbye") { $0.contains("goingDown") }
      }
    }

    @Test("A daemon under nohup survives its terminal")
    func nohup() async throws {
      try await World.run { world in
        let script = #"trap "" HUP; exec "$0" "$@""#
        let daemon = try world.start(.stored, ["--dir", world.directory], script: script)
        _ = try await daemon.output.lines(atLeast: 1)
        daemon.send(signal: SIGHUP)
        try await world.send("counter", #""incrementButtonTapped""#)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
      }
    }

    @Test(
      "A daemon without standard streams does not write output into its files",
      arguments: ["2>&-", "<&- 2>&-"],
    )
    func closedStreams(redirection: String) async throws {
      try await World.run { world in
        let daemon = try world.start(
          .stored,
          ["--dir", world.directory],
          script: #"exec "$0" "$@" \#(redirection)"#,
        )
        _ = try await daemon.output.lines(atLeast: 1)
        // Garbage that is logged once.
        let peer = try RawPeer(
          "\(world.directory)/ctl",
          as: "DEALER",
          sending: ZMTP.message([0xff]),
        )
        try await peer.ready()
        while try await world.counter("malformed") == 0 {}
        let lock = try String(contentsOfFile: "\(world.directory)/lock", encoding: .utf8)
        #expect(lock.wholeMatch(of: /(\d+) [0-9a-f]{16} stored\n/)?.1 == "\(daemon.pid)")
      }
    }

    @Test("A client without standard input sends no action, and ends with the reason")
    func closedInput() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let arguments = ["--dir", world.directory, "send", "counter", "-"]
        let sender = try world.start(.storectl, arguments, script: #"exec "$0" "$@" <&-"#)
        let run = try await world.finish(sender, within: .seconds(10))
        #expect(run.end == .status(74) && run.errorText.contains("The input could not be read"))
        #expect(try await world.get("counter")["count"] == 0)
      }
    }

    @Test(
      "Programs with a too low limit of open files report that",
      arguments: [8, 10, 12, 14, 15, 20, 40],
    )
    func fewDescriptors(count: Int) async throws {
      try await World.run { world in
        let script = "ulimit -n \(count); exec \"$0\" \"$@\""
        for (program, arguments) in [(Program.stored, []), (.storectl, ["status"])] {
          let all = ["--dir", world.directory] + arguments
          let run = try await world.finish(world.start(program, all, script: script))
          #expect(run.end == .status(program == .stored ? 73 : 71), "\(run.errorText)")
          #expect(run.errorText.contains("ulimit -n"), "\(run.errorText)")
        }
      }
    }

    @Test(
      "A daemon that may open too few files for a burst of connections does not start",
      arguments: [64, 256, 1_023],
    )
    func fewDescriptorsOfDaemon(count: Int) async throws {
      try await World.run { world in
        let arguments = ["--dir", world.directory]
        let daemon = try world.start(.stored, arguments, limitingDescriptorsTo: count)
        let run = try await world.finish(daemon)
        #expect(run.end == .status(73), "\(run.errorText)")
        #expect(run.errorText.contains("may have \(count) files open, and needs 1024"))
        #expect(run.errorText.contains("ulimit -n 1024"), "\(run.errorText)")
      }
    }

    @Test("A daemon with the minimum of open files outlasts a burst of connections")
    func burst() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon(limitingDescriptorsTo: 1_024)
        for _ in 0..<3_000 { close(try RawPeer.connect("\(world.directory)/ctl")) }
        #expect(try await world.get("counter")["count"] == 0)
        #expect(daemon.isRunning)
      }
    }

    @Test("Texts in a state cannot control the terminal that shows it")
    func terminalControls() async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let title = "a\u{9B}31m\u{85}b\u{202E}c\u{1B}[2J"
        let action: JSONValue = ["addButtonTapped": ["title": .string(title)]]
        try await world.send("todos", action.text())
        for options in [["get", "todos"], ["watch", "todos", "--count", "1"]] {
          for json in [[], ["--json"]] {
            let run = try await world.client(json + options)
            let text = run.output.joined()
            #expect(run.isSuccess && text.contains("31m"))
            let isHarmless = !text.unicodeScalars.contains(where: \.disturbsDisplay)
            #expect(isHarmless, "\(json + options)")
          }
        }
        let state = try await world.get("todos")
        #expect(state["items"]?.items?.first?["title"]?.text == title)
      }
    }
  }
}
