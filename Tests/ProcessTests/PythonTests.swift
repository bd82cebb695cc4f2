import Foundation
import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

private let root = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().path()

/// The folders of the packages from `make test` and of the client.
let pythonEnvironment: [String: String] = [
  "PYTHONPATH": "\(root)/.build/python:\(root)/Examples/python",
  "PYTHONDONTWRITEBYTECODE": "1",
]

/// The interpreter that has the client's imports: a search path may name several, and each has its
/// own packages.
let pythonInterpreter: String? = {
  let process = Process()
  let output = Pipe()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["python3", "-c", "import cbor2, sys, zmq; print(sys.executable)"]
  process.environment = ProcessInfo.processInfo.environment.merging(pythonEnvironment) { $1 }
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return nil }
  let path = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else { return nil }
  return String(decoding: path, as: UTF8.self).trimmingCharacters(in: .newlines)
}()

let isPythonAvailable = pythonInterpreter != nil

extension ProcessTests {
  /// The client in Python, which was written from the protocol's page alone.
  @Suite(
    "A client in Python",
    .enabled(if: isPythonAvailable, "needs python3, pyzmq and cbor2, which make test installs"),
  )
  struct PythonTests {
    private func start(_ world: World, _ arguments: String...) throws -> ChildProcess {
      try world.start(
        path: "/usr/bin/env",
        ["python3"] + arguments,
        environment: pythonEnvironment,
      )
    }

    /// Runs a command of the package in the form of its page.
    private func command(_ world: World, _ arguments: String...) async throws -> World.Run {
      let script = "exec python3 -m storeactor --dir \"$0\" \"$@\""
      let process = try world.start(
        path: "/bin/sh",
        ["-c", script, world.directory] + arguments,
        environment: pythonEnvironment,
      )
      return try await world.finish(process)
    }

    @Test func `It receives the reply of a reducer`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.strangerDaemon)
        try await world.send("laboratory", #"{"sampleTaken":{"id":7,"label":"ore"}}"#)
        let relabelling = #"{"relabelled":"gold"}"#
        let sent = try await command(world, "send", "samples/7", relabelling, "sealed")
        let sample = #"{"id":7,"label":"ore","isSealed":false}"#
        #expect(
          sent.output == ["applied at revision 2, replied \(sample)", "applied at revision 3"],
          "\(sent.errorText)",
        )
      }
    }

    @Test func `Its reader of data directories finds each kind of damage`() async throws {
      try await World.run { world in
        let run = try await world.finish(start(world, "\(root)/Examples/python/test_journal.py"))
        #expect(run.isSuccess, "\(run.errorText)")
        #expect(run.errorText.contains("OK"), "\(run.errorText)")
      }
    }

    @Test func `The client reports each kind of damage like its reader`() async throws {
      try await World.run { world in
        let script = "\(root)/Examples/python/check_vectors.py"
        let run = try await world.finish(start(world, script, Program.storectl.path))
        #expect(run.isSuccess, "\(run.output.joined(separator: "\n"))")
      }
    }

    @Test func `Its reader of data directories shows the daemon's records`() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        for _ in 0..<3 { try await world.send("counter", "incrementButtonTapped") }
        try await world.send("todos", #"{"addButtonTapped":{"title":"Milk"}}"#)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        func read(_ command: String) async throws -> World.Run {
          try await world.finish(
            start(world, "-m", "storeactor.journal", command, "\(world.directory)/data")
          )
        }
        let verified = try await read("verify")
        #expect(verified.isSuccess, "\(verified.output) \(verified.errorText)")
        let state = try JSONValue(parsing: try await read("state").output.joined(separator: "\n"))
        #expect(state["counter"]?["count"]?.int == 3, "\(state)")
        #expect(state["todos"]?["items"]?.items?.first?["title"]?.text == "Milk", "\(state)")
        let records = try await read("log").output
        #expect(records.count >= 4)
      }
    }

    @Test func `Its hello states the newest revision that it received, once there is one`()
      async throws
    {
      let script = """
        from storeactor import Client
        client, sent = Client(ctl="none", pub="none"), []
        client._send = lambda *message: sent.append(message)
        client._hello()
        assert len(sent[-1]) == 9, sent
        client.epoch = 7
        for revision in 3, 2: client._hear(revision)
        client._hello()
        assert sent[-1][9:] == ([7, 3],), sent
        client.epoch = 8
        client._hear(1)
        client._hello()
        assert sent[-1][9:] == ([8, 1],), sent
        """
      try await World.run { world in
        let run = try await world.finish(start(world, "-c", script))
        #expect(run.isSuccess, "\(run.errorText)")
      }
    }

    @Test func `Its encodings, digests, deltas and JSON are those of the vectors`() async throws {
      try await World.run { world in
        let script = "\(root)/Examples/python/check_golden.py"
        let check = try start(world, script, "\(root)/Tests/Fixtures/Golden")
        let run = try await world.finish(check)
        #expect(run.isSuccess, "\(run.errorText)")
        #expect(run.output.last?.hasSuffix("as expected") == true, "\(run.output)")
      }
    }

    @Test func `Its commands show and send the same as storectl`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let scopes = try await command(world, "scopes")
        #expect(scopes.output.contains("todos/items"), "\(scopes.errorText)")
        let sent = try await command(
          world,
          "send",
          "todos",
          #"{"addButtonTapped":{"title":"Milk"}}"#,
        )
        #expect(sent.output == ["applied at revision 1"], "\(sent.errorText)")
        let todos = try await world.snapshot("todos")
        let got = try await command(world, "get", "todos")
        let tree = try JSONValue(parsing: try #require(got.output.last, "\(got.errorText)"))
        #expect(tree["digest"]?.text == todos.digest)
        #expect(tree["state"]?.text() == todos.state.text())
        let id = try #require(todos.state["items"]?.items?.first?["id"]?.text)
        #expect(
          try await command(world, "send", "todos/items/\(id)", "toggleButtonTapped").isSuccess
        )
        let row = try await world.get("todos/items/\(id)")
        #expect(row["isCompleted"] == true)
        let slip = try await command(world, "send", "counter", "increment")
        #expect(slip.end == .status(1) && slip.errorText.contains("there is no case 'increment'"))
        let stray = try await command(world, "get", "nonsense")
        #expect(stray.end == .status(1) && stray.errorText.contains("no scope 'nonsense'"))
      }
    }

    /// Without grants the followed scopes arrive on the publishing socket, else on the control
    /// socket.
    @Test(arguments: ["", "user:47112 counter see\n"])
    func `Clients of both kinds agree after a stress, in which the daemon was killed`(
      grants: String
    ) async throws {
      try await World.run { world in
        if !grants.isEmpty {
          try Data(grants.utf8).write(to: URL(filePath: "\(world.directory)/grants"))
          #expect(chmod("\(world.directory)/grants", 0o600) == 0)
        }
        let daemon = try await world.startDaemon()
        let watcher = try await world.watch("todos", "--digest")
        let stress = try start(
          world,
          "\(root)/Examples/python/stress.py",
          world.directory,
        )
        _ = try await stress.output.line(within: .seconds(60), "the middle") { $0 == "halfway" }
        daemon.send(signal: SIGKILL)
        #expect(try await daemon.ended() == .signal(SIGKILL))
        _ = try await world.startDaemon()
        let run = try await world.finish(stress, within: .seconds(60))
        #expect(run.isSuccess, "\(run.errorText)")
        let result = try JSONValue(parsing: try #require(run.output.last))
        let todos = try await world.snapshot("todos")
        #expect(result["todos"]?.text == todos.digest)
        let digest = #""digest":"\#(todos.digest)""#
        _ = try await watcher.output.line("the same digest") { $0.contains(digest) }
        let counter = try await world.snapshot("counter")
        #expect(result["counter"]?.text == counter.digest)
        #expect(counter.state["count"] == result["count"])
        let isPrivate = try #require(result["private"]?.int) > 0
        #expect(isPrivate == !grants.isEmpty)
      }
    }
  }
}
