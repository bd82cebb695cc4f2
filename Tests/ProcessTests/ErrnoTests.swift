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
  /// Each error of each system call that a daemon makes on the files of its history, while three
  /// clients send.
  ///
  /// After any failure the daemon continues, ends with a status for that failure, or does not
  /// start; it reports no damage. Each acknowledged action is applied once, each refused one is not
  /// applied, and the epoch stays.
  @Suite struct ErrnoTests {
    /// Whether all errors are tried (`ERRNOS=all`), and not a sample of them.
    private static let isWhole = environment("ERRNOS") == "all"
    /// The number of errors in a sample; `ERRNOS` sets it.
    private static let sampleCount = environment("ERRNOS").flatMap { Int($0) } ?? 14
    /// The seed for the choice of errors and their times: `ERRNO_SEED` repeats a run.
    private static let seed =
      environment("ERRNO_SEED").flatMap { UInt64($0) } ?? .random(in: 0...999_999)

    private static func environment(_ name: String) -> String? {
      ProcessInfo.processInfo.environment[name]
    }

    private static let (senders, each) = (3, 12)

    /// A failing call, and its time.
    private struct Fault: CustomStringConvertible {
      let call: String
      let error: Int32
      /// Whether every later call of this kind fails as well.
      let isLasting: Bool
      /// Whether calls count from the daemon's start, instead of from its ready line.
      let isEarly: Bool
      /// The number of the call that fails.
      let number: Int

      var description: String {
        "\(call) \(error) (\(String(cString: strerror(error)))), number \(number)"
          + (isEarly ? " of all" : " while clients send")
          + (isLasting ? ", and all later ones" : "")
      }
    }

    /// The calls, and the errors that each may have.
    private static let errors: [(call: String, errors: [Int32])] = [
      ("open", [EIO, ENOSPC, EDQUOT, EROFS, EACCES, EMFILE, ENFILE, EINTR]),
      ("write", [EIO, ENOSPC, EDQUOT, EFBIG, EROFS, EINTR, EAGAIN]),
      ("pwrite", [EIO, ENOSPC, EDQUOT, EFBIG, EROFS, EINTR, EAGAIN]),
      ("fsync", [EIO, ENOSPC, EDQUOT, EROFS, EINTR]),
      ("fdatasync", [EIO, ENOSPC, EDQUOT, EROFS, EINTR]),
      ("ftruncate", [EIO, EFBIG, EROFS, EINTR]),
      ("fallocate", [EIO, ENOSPC, EDQUOT, EFBIG, EINTR]),
      ("link", [EIO, ENOSPC, EDQUOT, EROFS, EMLINK, EPERM]),
      ("rename", [EIO, ENOSPC, EDQUOT, EROFS]),
      ("unlink", [EIO, EROFS, EBUSY, EACCES]),
      ("mkdir", [EIO, ENOSPC, EDQUOT, EROFS]),
      ("opendir", [EIO, EMFILE, ENFILE, EACCES]),
      ("readdir", [EIO, EINTR]),
      ("read", [EIO, EINTR, EAGAIN]),
      ("pread", [EIO, EINTR, EAGAIN, ESTALE]),
      ("stat", [EIO, EACCES, ENOMEM]),
    ]

    /// Calls that a daemon makes only when it starts.
    private static let onlyEarly: Set = ["mkdir", "read", "readdir", "opendir"]

    /// The faults of a run, in a random order.
    private static func faults(_ random: inout Numbers) -> [Fault] {
      var faults: [Fault] = []
      for (call, errors) in errors {
        for error in errors {
          // An interrupted call is repeated without a limit, so a lasting EINTR would hang.
          for isLasting in error == EINTR ? [false] : [false, true] {
            let isEarly = onlyEarly.contains(call) || random.next() % 4 == 0
            let number = 1 + Int(random.next() % (call.hasPrefix("p") ? 8 : 3))
            // The first error is early, so that each call fails at least once: some are rare later.
            let isFirst = error == errors.first && !isLasting
            faults.append(
              Fault(
                call: call,
                error: error,
                isLasting: isLasting,
                isEarly: isEarly || isFirst,
                number: isFirst ? 1 : number,
              )
            )
          }
        }
      }
      faults.shuffle(using: &random)
      return isWhole ? faults : Array(faults.prefix(sampleCount))
    }

    /// A program's directory with the library that makes calls fail.
    private struct Disk {
      let world: World
      let library: String

      private func path(_ name: String) -> String { "\(world.directory)/\(name)" }

      /// Starts a daemon with a fault, which may prevent the start.
      func startDaemon(_ fault: Fault) async throws -> ChildProcess {
        try arm(fault.isEarly)
        let daemon = try world.start(
          .stored,
          ["--dir", world.directory, "--retain-bytes", "10000"],
          environment: [
            "LD_PRELOAD": library, "CUTDISK_ROOT": path("data"), "CUTDISK_ARMED": path("armed"),
            "CUTDISK_REFUSALS": path("refusals"),
            "CUTDISK_REFUSE":
              "\(fault.call) * \(fault.error) \(fault.number) \(fault.isLasting ? 0 : 1)",
            "STOREACTOR_SNAPSHOT_BYTES": "2500", "STOREACTOR_SEGMENT_BYTES": "9000",
          ],
        )
        try await waitForFirst([
          { _ = try await daemon.output.lines(atLeast: 1) }, { _ = try await daemon.ended() },
        ])
        if daemon.isRunning { try arm(true) }
        return daemon
      }

      private func arm(_ isArmed: Bool) throws {
        if isArmed {
          try Data().write(to: URL(filePath: path("armed")))
        } else {
          unlink(path("armed"))
        }
      }

      /// The calls that have failed so far.
      var refusals: [String] {
        let text = try? String(contentsOfFile: path("refusals"), encoding: .utf8)
        return text?.split(separator: "\n").map(String.init) ?? []
      }
    }

    private static func add(_ sender: Int, _ number: Int) -> String {
      #"{"addButtonTapped":{"title":"\#(sender)-\#(number)"}}"#
    }

    @Test(arguments: [EIO, ENOLCK, EOPNOTSUPP])
    func `A directory that cannot be locked is no directory in use`(error: Int32) async throws {
      try await World.run { world in
        let daemon = try world.start(
          .stored,
          ["--dir", world.directory],
          environment: [
            "LD_PRELOAD": try await CutDisk.build(in: world),
            "CUTDISK_ROOT": world.directory, "CUTDISK_REFUSE": "flock lock \(error) 1 0",
          ],
        )
        #expect(try await daemon.ended() == .status(71))
        let words = daemon.errors.lines.joined(separator: "\n")
        #expect(words.contains(String(cString: strerror(error))), "\(words)")
        #expect(!words.contains("pid") && !words.contains("already"), "\(words)")
      }
    }

    /// Waits until a daemon has ended, all sent actions have outcomes, or, with a lasting fault,
    /// the daemon has logged that it waits for the disk; then ends the daemon.
    private func end(
      _ daemon: ChildProcess,
      _ clients: [ChildProcess],
      hasSent count: Int,
      _ fault: Fault,
      by signal: Int32,
    ) async throws {
      var waits: [@Sendable () async throws -> Void] = [
        { _ = try await daemon.ended() },
        { for client in clients { _ = try await client.output.lines(atLeast: count) } },
      ]
      if fault.isLasting {
        waits.append {
          _ = try await daemon.errors.line("that it waits") { $0.contains("for now") }
        }
      }
      try await waitForFirst(waits)
      daemon.send(signal: signal)
      let end = try await daemon.ended()
      let words = daemon.errors.lines.joined(separator: "\n")
      // Without a directory for its history it cannot create files: 73.
      let known: [ChildProcess.End] = [
        .status(0), .status(71), .status(73), .status(75),
        // It may already be ending because of the fault when the signal arrives.
        .signal(signal),
      ]
      #expect(known.contains(end), "seed \(Self.seed), \(fault): \(end) \(words)")
      for wrong in ["damaged", "is gone", "was removed"] {
        #expect(!words.contains(wrong), "seed \(Self.seed), \(fault): \(words)")
      }
    }

    @Test(.timeLimit(.minutes(isWhole || sampleCount > 14 ? 60 : 4)))
    func `After any failed call acknowledged actions, and no others, are applied once`()
      async throws
    {
      try await World.run { world in
        let disk = Disk(world: world, library: try await CutDisk.build(in: world))
        var random = Numbers(state: Self.seed)
        let faults = Self.faults(&random)
        var daemon = try await world.startDaemon()
        let epoch = try await world.answer("--json", "status")["epoch"]
        let clients = try (0..<Self.senders).map { _ in
          try world.startClient("--json", "send", "todos", "-")
        }
        for round in 0...faults.count {
          for (sender, client) in clients.enumerated() {
            client.write(lines: (0..<Self.each).map { Self.add(sender, round * Self.each + $0) })
          }
          if round == 0 {
            for client in clients { _ = try await client.output.lines(atLeast: Self.each) }
            daemon.send(signal: SIGTERM)
            #expect(try await daemon.ended() == .status(0))
          } else {
            try await end(
              daemon,
              clients,
              hasSent: (round + 1) * Self.each,
              faults[round - 1],
              by: random.next() % 2 == 0 ? SIGTERM : SIGKILL,
            )
          }
          if round < faults.count { daemon = try await disk.startDaemon(faults[round]) }
        }
        daemon = try await world.startDaemon()
        #expect(try await world.answer("--json", "status")["epoch"] == epoch, "seed \(Self.seed)")
        try await check(world, clients, rounds: faults.count + 1)
        check(disk.refusals, of: faults)
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        let data = "\(world.directory)/data"
        let verify = try await world.client(["verify", "--data", data], within: .seconds(120))
        #expect(verify.isSuccess, "seed \(Self.seed): \(verify.output) \(verify.errorText)")
      }
    }

    /// Expects that each action was applied once and in its order, or was refused and not applied.
    private func check(_ world: World, _ clients: [ChildProcess], rounds: Int) async throws {
      var expected: [[String]] = []
      for (sender, client) in clients.enumerated() {
        let run = try await world.finish(client, within: .seconds(60))
        let outcomes = try run.output.map { try JSONValue(parsing: $0)["outcome"]?.text }
        #expect(outcomes.count == rounds * Self.each, "seed \(Self.seed): \(run.errorText)")
        let kinds = Set(outcomes)
        #expect(kinds.isSubset(of: ["applied", "overloaded"]), "seed \(Self.seed): \(kinds)")
        expected.append(
          outcomes.indices.filter { outcomes[$0] == "applied" }.map { "\(sender)-\($0)" }
        )
      }
      let items = try #require(try await world.get("todos")["items"]?.items)
      let titles = items.compactMap { $0["title"]?.text }
      for (sender, expected) in expected.enumerated() {
        let own = titles.filter { $0.hasPrefix("\(sender)-") }
        #expect(own == expected, "seed \(Self.seed), sender \(sender)")
      }
      #expect(titles.count == expected.map(\.count).reduce(0, +), "seed \(Self.seed)")
      #expect(titles.count > rounds, "seed \(Self.seed): most are refused")
    }

    /// Expects that the faults occurred: most of a sample; each call in a whole run.
    private func check(_ refusals: [String], of faults: [Fault]) {
      // Without small segments some calls are rare.
      guard CrashLoop.hasFailpoints else { return }
      let calls = Set(refusals.compactMap { $0.split(separator: " ").first.map(String.init) })
      let meant = Set(faults.map(\.call))
      #expect(
        Self.isWhole ? calls == meant : calls.count > meant.count / 2,
        "seed \(Self.seed): of \(meant) only \(calls) have failed",
      )
    }
  }
}
