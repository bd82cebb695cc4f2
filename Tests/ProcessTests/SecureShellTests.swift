import Foundation
import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The interpreter of the script that acts as `ssh`; nil if it is not installed.
private let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
  FileManager.default.isExecutableFile(atPath: $0)
}

extension ProcessTests {
  /// A daemon of another machine, by the system's `ssh`.
  ///
  /// A script stands in for it, which forwards sockets and records its arguments.
  @Suite(.enabled(if: python != nil, "the ssh of these tests is written in Python"))
  struct SecureShellTests {
    private static let ssh = #"""
      #!/usr/bin/env python3
      import os, socket, sys, threading
      folder = os.path.dirname(os.path.abspath(__file__))
      with open(folder + "/calls", "a") as calls: calls.write("\n".join(sys.argv[1:]) + "\n")
      with open(folder + "/pid", "w") as file: file.write(str(os.getpid()))
      if sys.argv[-1].endswith("nowhere"): sys.exit("ssh: Could not resolve hostname")
      def pass_on(one, other):
        try:
          while True:
            data = one.recv(65536)
            if not data: break
            other.sendall(data)
        except OSError: pass
        for end in (one, other):
          try: end.shutdown(socket.SHUT_RDWR)
          except OSError: pass
      def serve(listener, target):
        while True:
          one, _ = listener.accept()
          other = socket.socket(socket.AF_UNIX)
          try: other.connect(target)
          except OSError:
            one.close()
            continue
          threading.Thread(target=pass_on, args=(one, other), daemon=True).start()
          threading.Thread(target=pass_on, args=(other, one), daemon=True).start()
      for place, word in enumerate(sys.argv):
        if word != "-L": continue
        local, target = sys.argv[place + 1].split(":")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(local)
        listener.listen()
        threading.Thread(target=serve, args=(listener, target), daemon=True).start()
      threading.Event().wait()
      """#

    private func run(_ body: (World, _ folder: String) async throws -> Void) async throws {
      try await World.run { world in
        let folder = "\(world.directory)/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(Self.ssh.utf8).write(to: URL(filePath: "\(folder)/ssh"))
        try #require(chmod("\(folder)/ssh", 0o700) == 0)
        try await body(world, folder)
      }
    }

    private func start(
      _ world: World,
      _ folder: String,
      _ address: String,
      _ arguments: String...,
    ) throws -> ChildProcess {
      try world.start(
        .storectl,
        ["--connect", address, "--json"] + arguments,
        environment: environment(world, folder),
      )
    }

    private func environment(_ world: World, _ folder: String) -> [String: String] {
      ["PATH": "\(folder):/usr/bin:/bin", "XDG_RUNTIME_DIR": "", "TMPDIR": world.directory]
    }

    /// The remaining directories with forwarded sockets.
    private func left(_ world: World) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: world.directory)
        .filter { $0.hasPrefix("storectl-") }
    }

    @Test func `Commands reach a daemon by ssh, as the user of the login`() async throws {
      try await run { world, folder in
        _ = try await world.startDaemon()
        let address = "ssh://ann@far:2222\(world.directory)"
        let increment = #""incrementButtonTapped""#
        let sent = try await world.finish(
          start(world, folder, address, "send", "counter", increment)
        )
        #expect(sent.isSuccess, "\(sent.errorText)")
        #expect(try await world.get("counter")["count"] == 1)
        #expect(try left(world) == [])
        let calls = try String(contentsOfFile: "\(folder)/calls", encoding: .utf8)
          .split(separator: "\n").map(String.init)
        #expect(calls.suffix(4) == ["-p", "2222", "--", "ann@far"])
        #expect(calls.contains("-N") && calls.contains("ControlMaster=no"))
        #expect(calls.contains { $0.hasSuffix("/pub:\(world.directory)/pub") })
      }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
    func `When a command is ended, so is its ssh, and no process is left of either`(
      signal: Int32
    ) async throws {
      try await run { world, folder in
        _ = try await world.startDaemon()
        // To the command alone, and to the whole process group, as by Ctrl-C. A killed group has no
        // process left for the cleanup.
        for isForAll in signal == SIGKILL ? [false] : [false, true] {
          let watcher = try world.start(
            path: "/bin/sh",
            [
              "-c", "exec setsid \"$0\" \"$@\"", Program.storectl.path,
              "--connect", "ssh://far\(world.directory)", "--json", "watch", "counter",
            ],
            environment: environment(world, folder),
          )
          _ = try await watcher.output.lines(atLeast: 1)
          let pid = try #require(
            pid_t(try String(contentsOfFile: "\(folder)/pid", encoding: .utf8))
          )
          #expect(kill(pid, 0) == 0)
          #expect(try left(world).count == 1)
          if isForAll { kill(-watcher.pid, signal) } else { watcher.send(signal: signal) }
          // Its streams end with the last program that has them, which is the one that cleans up.
          _ = try await watcher.ended()
          #expect(kill(pid, 0) != 0)
          #expect(try left(world) == [])
        }
      }
    }

    @Test func `The absence of ssh or the daemon is reported`() async throws {
      try await run { world, folder in
        let nowhere = try await world.finish(start(world, folder, "ssh://nowhere/run/x", "scopes"))
        #expect(nowhere.end == .status(69))
        #expect(nowhere.errorText.contains("Could not resolve") && nowhere.output == [])
        #expect(nowhere.errorText.contains("ssh nowhere"))
        let absent = try await world.finish(start(world, folder, "ssh://far/run/none", "scopes"))
        #expect(absent.end == .status(69) && absent.errorText.contains("/run/none"))
        #expect(try left(world) == [])
        for wrong in [
          "ssh://", "ssh://far", "ssh://far/", "ssh://-oProxyCommand=x/run", "ssh://far:x/run",
          "ssh:///run", "ssh://far/a:b", "ssh://ann@/run",
        ] {
          let run = try await world.finish(start(world, folder, wrong, "scopes"))
          #expect(run.end == .status(64), "\(wrong)")
        }
      }
    }
  }
}
