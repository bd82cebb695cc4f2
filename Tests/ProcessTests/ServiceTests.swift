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
  /// The daemon as a service: its notifications to the manager, its settings, and its log.
  @Suite struct ServiceTests {
    private func service(
      _ world: World,
      _ environment: [String: String],
    ) throws -> ChildProcess {
      let arguments = ["--dir", world.directory, "--in-memory"]
      return try world.start(.stored, arguments, environment: environment)
    }

    @Test(arguments: [false, true])
    func `A service manager is notified of the daemon's state, from beginning to end`(
      isAbstract: Bool
    ) async throws {
      try await World.run { world in
        let manager = try NotifySocket("\(world.directory)/notify", isAbstract: isAbstract)
        let daemon = try service(
          world,
          ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "40000"],
        )
        let ready = try await manager.told("READY=1")
        #expect(ready == "READY=1\nSTATUS=Serving \(world.directory), from revision 0")
        #expect(try await world.client("status").isSuccess)
        try await manager.told("WATCHDOG=1", count: 5)
        daemon.send(signal: SIGHUP)
        let reloading = try await manager.told("RELOADING=1\nMONOTONIC_USEC=")
        #expect(reloading.split(separator: "=").last.flatMap { UInt64($0) } ?? 0 > 0)
        try await manager.told("READY=1", count: 2)
        #expect(manager.count("STOPPING") == 0)
        daemon.send(signal: SIGTERM)
        try await manager.told("STOPPING=1")
        #expect(try await daemon.ended() == .status(0))
      }
    }

    @Test func `A daemon gives no unrequested signs of life`() async throws {
      try await World.run { world in
        for environment in [[:], ["WATCHDOG_USEC": "40000", "WATCHDOG_PID": "1"]] {
          let manager = try NotifySocket("\(world.directory)/notify-\(environment.count)")
          let daemon = try service(
            world,
            environment.merging(["NOTIFY_SOCKET": manager.name]) { $1 },
          )
          try await manager.told("READY=1")
          daemon.send(signal: SIGTERM)
          // A notification between the two would have arrived before the second.
          try await manager.told("STOPPING=1")
          #expect(try await daemon.ended() == .status(0))
          #expect(manager.count("WATCHDOG") == 0)
        }
      }
    }

    @Test(arguments: ["relative", "/\(String(repeating: "x", count: 200))", "/nowhere/notify"])
    func `An invalid service manager keeps no daemon from serving`(
      name: String
    ) async throws {
      try await World.run { world in
        let daemon = try service(world, ["NOTIFY_SOCKET": name])
        _ = try await daemon.output.lines(atLeast: 1)
        _ = try await daemon.errors.line("a warning") { $0.contains("ervice manager") }
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
      }
    }

    @Test func `SIGHUP reads the settings again, and the log names those that need a restart`()
      async throws
    {
      try await World.run { world in
        let path = "\(world.directory)/settings.json"
        try #"{"logLevel": "error", "logFormat": "json"}"#
          .write(toFile: path, atomically: true, encoding: .utf8)
        let daemon = try await world.startDaemon(.stored, ["--config", path])
        try #"{"logLevel": "notice", "logFormat": "json", "leaseMilliseconds": 3000}"#
          .write(toFile: path, atomically: true, encoding: .utf8)
        daemon.send(signal: SIGHUP)
        let line = try await daemon.errors.line("the settings") { $0.contains("read again") }
        let tree = try JSONValue(parsing: line.line)
        #expect(tree["level"] == "notice" && tree["logger"] == "stored" && tree["time"] != nil)
        #expect(tree["metadata"]?["inForceAfterRestart"] == ["leaseMilliseconds"])
        for text in ["nonsense", #"{"leaseMilliseconds": 5}"#] {
          let count = daemon.errors.lines.count
          try text.write(toFile: path, atomically: true, encoding: .utf8)
          daemon.send(signal: SIGHUP)
          _ = try await daemon.errors.line(from: count, "a failure") {
            $0.contains("stay as they were")
          }
        }
        #expect(try await world.client("status").isSuccess)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        for line in daemon.errors.lines {
          #expect(throws: Never.self, "\(line)") { try JSONValue(parsing: line) }
        }
      }
    }

    @Test func `The settings in force are reported with their sources`() async throws {
      try await World.run { world in
        let path = "\(world.directory)/settings.json"
        try #"{"graceMilliseconds": 500}"#.write(toFile: path, atomically: true, encoding: .utf8)
        let run = try await world.finish(
          world.start(
            .stored,
            ["config", "--dir", "/run/x", "--config", path],
            environment: ["STOREACTOR_LOG_LEVEL": "debug"],
          )
        )
        #expect(run.isSuccess, "\(run.errorText)")
        let tree = try JSONValue(parsing: run.output.joined())
        let expected: [(String, String, String)] = [
          ("dir", "/run/x", "--dir"), ("logLevel", "debug", "$STOREACTOR_LOG_LEVEL"),
          ("graceMilliseconds", "500", "\(path): $.graceMilliseconds"),
          ("durability", "full", "default"), ("data", "/run/x/data", "default"),
        ]
        for (name, value, origin) in expected {
          #expect(tree[name]?["value"]?.text == value)
          #expect(tree[name]?["from"]?.text == origin)
        }
      }
    }

    @Test(arguments: [
      ("STOREACTOR_CONFIG", "/nowhere.json", 66), ("STOREACTOR_LOG_LEVEL", "loud", 78),
      ("STOREACTOR_DURABILITY", "some", 78), ("STOREACTOR_LEASE_MILLISECONDS", "1", 78),
    ])
    func `An invalid environment is refused`(
      name: String,
      text: String,
      status: Int32,
    ) async throws {
      try await World.run { world in
        let run = try await world.finish(service(world, [name: text]))
        #expect(run.end == .status(status), "\(run.errorText)")
        #expect(run.output == [])
      }
    }

    @Test(arguments: [
      ("metrics", #""localhost""#), ("leaseMilliseconds", "5"), ("graceMilliseconds", "50000"),
      ("listen", #"["x"]"#), ("listen", #"["tcp://localhost:1"]"#), ("numberFactBaseURL", #""x""#),
      ("dir", #""/\#(String(repeating: "x", count: 200))""#),
    ])
    func `A value that no daemon can take is refused by its place in the file`(
      name: String,
      value: String,
    ) async throws {
      try await World.run { world in
        let path = "\(world.directory)/settings.json"
        try #"{"\#(name)": \#(value)}"#.write(toFile: path, atomically: true, encoding: .utf8)
        for command in [[], ["config"]] {
          let arguments = command + ["--config", path, "--in-memory"]
          let environment = ["XDG_RUNTIME_DIR": world.directory]
          let run = try await world.finish(
            world.start(.stored, arguments, environment: environment)
          )
          #expect(run.end == .status(78), "\(run.errorText)")
          #expect(run.errorText.hasPrefix("stored: \(path): $.\(name): "), "\(run.errorText)")
          #expect(run.output == [])
        }
      }
    }

    @Test func `A message with a path disturbs no terminal`() async throws {
      try await World.run { world in
        let path = "/nowhere/\u{1b}[31m.json"
        let run = try await world.finish(service(world, ["STOREACTOR_CONFIG": path]))
        #expect(run.end == .status(66) && run.errorText.contains("/nowhere/"))
        #expect(!run.errorText.utf8.contains(0x1b))
      }
    }

    @Test func `A file of settings is found where settings are`() async throws {
      try await World.run { world in
        let folder = "\(world.directory)/config/storeactor"
        try FileManager.default.createDirectory(
          atPath: folder,
          withIntermediateDirectories: true,
        )
        try #"{"logLevel": "debug"}"#
          .write(toFile: "\(folder)/stored.json", atomically: true, encoding: .utf8)
        for environment in [
          ["XDG_CONFIG_HOME": "\(world.directory)/config"], ["HOME": "/nowhere"],
        ] {
          let run = try await world.finish(
            world.start(.stored, ["config"], environment: environment)
          )
          let level = try JSONValue(parsing: run.output.joined())["logLevel"]?["value"]?.text
          #expect(level == (environment["HOME"] == nil ? "debug" : "notice"))
        }
      }
    }

    /// An environment, with @ for a home directory, and the directories that follow from it, with ~
    /// for the directory of the user's account.
    struct Surroundings: CustomTestStringConvertible, Sendable {
      let variables: [String]
      let sockets: String
      let state: String
      var testDescription: String { variables.joined(separator: " ") }
    }

    @Test(
      arguments: ([
        (["HOME=@", "XDG_RUNTIME_DIR=@/rt"], "@/rt/", "@"),
        (["HOME=@", "XDG_RUNTIME_DIR=@/rt", "XDG_STATE_HOME="], "@/rt/", "@"),
        (["HOME=@", "XDG_RUNTIME_DIR=@/rt", "XDG_STATE_HOME=state"], "@/rt/", "@"),
        (["HOME=@", "XDG_RUNTIME_DIR=@/rt", "XDG_CONFIG_HOME="], "@/rt/", "@"),
        (["HOME=@", "XDG_RUNTIME_DIR=rt"], "@/.", "@"), (["XDG_RUNTIME_DIR=@/rt"], "@/rt/", "~"),
        ([], "~/.", "~"), (["HOME="], "~/.", "~"),
      ] as [([String], String, String)]).map {
        Surroundings(variables: $0.0, sockets: $0.1, state: $0.2)
      }
    )
    func `A variable that is empty or relative, or not there, leads to the next one`(
      _ surroundings: Surroundings
    ) async throws {
      let account = try #require(getpwuid(geteuid())?.pointee.pw_dir.map { String(cString: $0) })
      try await World.run { world in
        let home = "\(world.directory)/home"
        let settings = "\(home)/.config/storeactor"
        for folder in ["\(home)/rt", settings] {
          try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
          )
          try #require(chmod(folder, 0o700) == 0)
        }
        try Data(#"{"logLevel": "debug"}"#.utf8)
          .write(to: URL(filePath: "\(settings)/stored.json"))
        func absolute(_ path: String) -> String {
          path.replacing("@", with: home).replacing("~", with: account)
        }
        let names = ["HOME"] + ["RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"].map { "XDG_\($0)" }
        let run = try await world.finish(
          world.start(
            path: "/usr/bin/env",
            names.flatMap { ["-u", $0] } + surroundings.variables.map(absolute)
              + [Program.stored.path, "config"],
          )
        )
        #expect(run.isSuccess, "\(run.errorText)")
        let shown = try JSONValue(parsing: run.output.joined())
        func value(_ name: String) -> String? { shown[name]?["value"]?.text }
        #expect(value("dir") == absolute("\(surroundings.sockets)storeactor"))
        #expect(value("data") == absolute("\(surroundings.state)/.local/state/storeactor"))
        // Files in the user's account are not part of this test.
        if surroundings.state == "@" { #expect(value("logLevel") == "debug") }
      }
    }
  }
}
