import Foundation
import GenericState
import StoreHistory
import StoreJournal
import StoreServer
import StoreState
import StoredWorkspace
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// The journal on a disk that loses unsynced data: revisions that were reported as durable exist
  /// after a cut at any moment.
  @Suite struct CutTests {
    /// The number of cuts; `CUTS` sets it.
    private static let cuts =
      ProcessInfo.processInfo.environment["CUTS"].flatMap { Int($0) } ?? 60
    /// The maximum of cuts in a round; each round has its own time limit.
    private static let cutsPerRound = 100

    /// Runs a program that keeps records, and returns its operations and its directory.
    ///
    /// With `isFailing`, syncs fail now and then; after each failure another journal continues with
    /// the content of the page cache.
    private func run(
      _ world: World,
      _ durability: Durability,
      isFailing: Bool = false,
    ) async throws -> (CutDisk, String) {
      let library = try await CutDisk.build(in: world)
      let root = "\(world.directory)/cut"
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      let probe = try world.start(
        .journalProbe,
        [root, "120", durability.rawValue] + (isFailing ? ["\(world.directory)/fail"] : []),
        environment: [
          "LD_PRELOAD": library, "CUTDISK_ROOT": root,
          "CUTDISK_LOG": "\(world.directory)/cut.log",
          "CUTDISK_FAIL": "\(world.directory)/fail",
        ],
      )
      let end = try await probe.ended(within: .seconds(60))
      #expect(end == .status(0), "\(probe.output.lines) \(probe.errors.lines)")
      return (try CutDisk("\(world.directory)/cut.log"), root)
    }

    /// The newest revision in a directory.
    private func newest(in directory: String) throws -> UInt64 {
      let file = try JournalDirectory(
        directory: directory,
        root: "Probe",
        schema: SchemaRegistry.document(for: [UInt64].self),
        durability: .full,
        epoch: 7,
      )
      var newest: UInt64 = 0
      _ = try file.read { part throws(CodecError) in
        switch part {
        case .build: break
        case .snapshot(let bytes): newest = Self.number(bytes, 0)
        case .records(let bytes, _):
          var place = 0
          while place + 8 <= bytes.count {
            newest = Self.number(bytes, place)
            place += 8 + Self.length(of: newest)
          }
          guard place == bytes.count else {
            throw CodecError(.truncated, "revision \(newest) is not whole")
          }
        }
      }
      try file.begin()
      try file.close()
      return newest
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
    }

    /// The same function as in the probe.
    private static func length(of revision: UInt64) -> Int {
      let mixed = revision &* 0x9e37_79b9_7f4a_7c15
      return Int(mixed >> 40) % (revision.isMultiple(of: 11) ? 60_000 : 300)
    }

    /// Returns the losses at some cuts.
    ///
    /// Every other cut is directly after a mark of the program.
    private func losses(
      _ disk: CutDisk,
      _ root: String,
      cuts: Int,
      in world: World,
      isTorn: Bool,
    ) throws -> [String] {
      var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
      let first = try #require(disk.steps.firstIndex { $0.kind == "M" })
      let marks = disk.steps.indices.filter { disk.steps[$0].kind == "M" }
      let places = (0..<cuts).map { cut in
        cut.isMultiple(of: 2)
          ? marks[Int.random(in: marks.indices, using: &random)]
          : Int.random(in: first..<disk.steps.count, using: &random)
      }
      var (losses, done) = ([String](), 0)
      var state = CutDisk.State()
      for place in places.sorted() {
        while done <= place {
          state.take(disk.steps[done])
          done += 1
        }
        var generator: (any RandomNumberGenerator)? =
          isTorn && place.isMultiple(of: 2) ? random : nil
        let copy = "\(world.directory)/copy"
        try state.write(root, to: copy, &generator)
        do {
          let found = try newest(in: copy)
          if found < state.mark { losses.append("step \(place): \(found) of \(state.mark)") }
        } catch {
          losses.append("step \(place): \(error)")
        }
      }
      return losses
    }

    @Test(arguments: 0..<(cuts + cutsPerRound - 1) / cutsPerRound)
    func `Durable data is there after any cut of the disk`(
      round: Int
    ) async throws {
      try await World.run { world in
        let (disk, root) = try await run(world, .full)
        let cuts = min(Self.cutsPerRound, Self.cuts - round * Self.cutsPerRound)
        #expect(try losses(disk, root, cuts: cuts, in: world, isTorn: true) == [])
        // Between two marks a segment is synced.
        var (segments, hasSynced) = (Set<Int32>(), true)
        for step in disk.steps {
          if step.kind == "N", step.text.hasSuffix(".log") { segments.insert(step.file) }
          if step.kind == "S", segments.contains(step.file) { hasSynced = true }
          guard step.kind == "M" else { continue }
          #expect(hasSynced, "revision \(step.text) was released without a sync")
          hasSynced = false
        }
        #expect(segments.count > 4, "It has begun other segments")
      }
    }

    @Test(arguments: Durability.allCases)
    func `Data written after a failed sync is on the disk, after any later cut`(
      durability: Durability
    ) async throws {
      try await World.run { world in
        let (disk, root) = try await run(world, durability, isFailing: true)
        #expect(disk.steps.contains { $0.kind == "F" })
        let losses = try losses(disk, root, cuts: Self.cutsPerRound, in: world, isTorn: false)
        // Without `full` a reported revision may not be synced yet: it may be lost without a
        // refusal.
        let isRefused = losses.filter { durability == .full || !$0.contains(" of ") }
        #expect(isRefused == [])
      }
    }

    @Test func `Missing syncs are found`() async throws {
      try await World.run { world in
        let (disk, root) = try await run(world, .none)
        #expect(try !losses(disk, root, cuts: 10, in: world, isTorn: false).isEmpty)
      }
    }

    // MARK: A daemon whose disk is cut

    /// The count that a client knows as applied, and the length of the disk's log at that time.
    private struct Acknowledgement {
      let count: Int
      let logBytes: Int
    }

    /// Counts with a daemon, some actions at a time, until it is killed.
    private func count(
      _ world: World,
      _ durability: Durability,
    ) async throws -> (CutDisk, [Acknowledgement]) {
      let log = "\(world.directory)/cut.log"
      var environment = try await settings(world, CutDisk.build(in: world))
      environment["CUTDISK_LOG"] = log
      // A slow disk exposes acknowledgements that do not wait for it.
      environment["CUTDISK_SLOW"] = "10000"
      environment["STOREACTOR_SNAPSHOT_BYTES"] = "1500"
      environment["STOREACTOR_SEGMENT_BYTES"] = "8000"
      let daemon = try await world.startDaemon(
        .stored,
        ["--durability", durability.rawValue, "--retain-bytes", "0"],
        environment: environment,
      )
      let sender = try world.startClient("--json", "send", "counter", "-")
      var acknowledgements: [Acknowledgement] = []
      var count = 0
      for round in 0..<50 {
        let more = 1 + round % 4
        sender.write(lines: Array(repeating: Self.increment, count: more))
        count += more
        _ = try await sender.output.lines(atLeast: count)
        let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
        acknowledgements.append(Acknowledgement(count: count, logBytes: try #require(size)))
      }
      daemon.send(signal: SIGKILL)
      _ = try await daemon.ended()
      return (try CutDisk(log), acknowledgements)
    }

    /// The counter that a daemon would begin with.
    @MainActor
    private func recoveredCount(in directory: String) throws -> Int {
      let form = DurableForm(WorkspaceFeature.State.self)
      let file = try JournalDirectory(
        directory: directory,
        root: form.name,
        schema: form.schema,
        durability: .full,
        epoch: 7,
      )
      let recovery = Recovery(form, initial: WorkspaceFeature.State())
      _ = try file.read { part throws(CodecError) in
        switch part {
        case .build(let schema): try recovery.written(by: schema)
        case .snapshot(let bytes): try recovery.take(snapshot: bytes[...])
        case .records(let bytes, _): try recovery.take(records: bytes[...])
        }
      }
      try file.begin()
      try file.close()
      return recovery.finish().root.counter.count
    }

    /// Returns the acknowledged actions that are lost.
    ///
    /// Every other cut is directly after an acknowledgement.
    private func losses(
      _ disk: CutDisk,
      _ acknowledgements: [Acknowledgement],
      cuts: Int,
      in world: World,
    ) async throws -> [String] {
      // The number of steps at each acknowledgement.
      let told = acknowledgements.map { told in
        (steps: disk.steps.count { $0.end <= told.logBytes }, count: told.count)
      }
      let first = try #require(told.first).steps
      let places = (0..<cuts).map { cut in
        cut.isMultiple(of: 2)
          ? told[Int.random(in: told.indices)].steps : Int.random(in: first...disk.steps.count)
      }
      var (losses, done) = ([String](), 0)
      var state = CutDisk.State()
      for (cut, place) in places.sorted().enumerated() {
        for step in disk.steps[done..<place] { state.take(step) }
        done = place
        var generator: (any RandomNumberGenerator)? =
          cut.isMultiple(of: 2) ? SystemRandomNumberGenerator() : nil
        let copy = "\(world.directory)/copy"
        try state.write("\(world.directory)/data", to: copy, &generator)
        let expected = told.last { $0.steps <= place }?.count ?? 0
        do {
          let found = try await recoveredCount(in: copy)
          if found < expected { losses.append("step \(place): \(found) of \(expected)") }
        } catch {
          losses.append("step \(place): \(error)")
        }
      }
      return losses
    }

    @Test(arguments: 0..<(cuts + cutsPerRound - 1) / cutsPerRound)
    func `Acknowledged actions are there after any cut of the disk`(
      round: Int
    ) async throws {
      try await World.run { world in
        let (disk, acknowledgements) = try await count(world, .full)
        let cuts = min(Self.cutsPerRound, Self.cuts - round * Self.cutsPerRound)
        #expect(try await losses(disk, acknowledgements, cuts: cuts, in: world) == [])
      }
    }

    @Test func `The loss of actions that were acknowledged without a sync is found`() async throws {
      try await World.run { world in
        let (disk, acknowledgements) = try await count(world, .none)
        #expect(try await !losses(disk, acknowledgements, cuts: 10, in: world).isEmpty)
      }
    }

    // MARK: Killed in a write

    /// How often a program is killed inside a write; `KILLS` sets it.
    private static let kills =
      ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 4

    @Test(
      .timeLimit(.minutes(kills > 4 ? 30 : 4)),
      arguments: [Durability.full, .batched],
    )
    func `A program that is killed inside a write of many pages leaves a torn end, in its epoch`(
      durability: Durability
    ) async throws {
      try await World.run { world in
        let library = try await CutDisk.build(in: world)
        let root = "\(world.directory)/cut"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        var last: UInt64 = 0
        for kill in 0..<Self.kills {
          // The first one has the maximum size of an entry.
          let bytes = kill == 0 ? 8 << 20 : Int.random(in: 50_000...4_000_000)
          let number = Int.random(in: 1...3)
          let probe = try world.start(
            .journalProbe,
            [root, "9", durability.rawValue, "", "\(bytes)"],
            environment: [
              "LD_PRELOAD": library, "CUTDISK_ROOT": root,
              // Segments no longer have the name under which they were opened.
              "CUTDISK_REFUSE": "pwrite (deleted) -\(SIGKILL) \(number)",
            ],
          )
          let end = try await probe.ended(within: .seconds(60))
          #expect(end == .signal(SIGKILL), "\(probe.output.lines) \(probe.errors.lines)")
          let found = try JournalDirectory(
            directory: root,
            root: "Probe",
            schema: SchemaRegistry.document(for: [UInt64].self),
            durability: durability,
            epoch: 8,
          ).opening
          let context = "\(bytes) bytes, write \(number)"
          #expect(found.tornBytes > bytes / 2 - 6_200 && found.tornBytes < bytes, "\(context)")
          #expect(found.epoch == 7 && found.doubt == nil, "\(context): \(found.doubt ?? "")")
          #expect(found.newest == last + UInt64(number) - 1, "\(context)")
          let marks = try String(contentsOfFile: "\(root)/marks", encoding: .utf8)
          let told = marks.split(separator: "\n").last.flatMap { UInt64($0) } ?? 0
          #expect(found.newest >= told, "\(context): \(told) was told")
          last = found.newest
        }
      }
    }

    // MARK: A daemon whose disk misbehaves

    private func settings(_ world: World, _ library: String) -> [String: String] {
      [
        "LD_PRELOAD": library, "CUTDISK_ROOT": "\(world.directory)/data",
        "CUTDISK_FAIL": "\(world.directory)/fail", "CUTDISK_HANG": "\(world.directory)/hang",
        "CUTDISK_FULL": "\(world.directory)/full", "CUTDISK_TIGHT": "\(world.directory)/tight",
        "CUTDISK_QUOTA": "\(world.directory)/quota",
      ]
    }

    private func set(_ flag: String, in world: World) throws {
      try Data().write(to: URL(filePath: "\(world.directory)/\(flag)"))
    }

    private static let increment = #""incrementButtonTapped""#

    @Test func `When a sync fails the daemon reports it and ends, and acknowledged actions stay`()
      async throws
    {
      try await World.run { world in
        let library = try await CutDisk.build(in: world)
        let first = try await world.startDaemon(environment: settings(world, library))
        let sender = try world.startClient("--json", "send", "counter", "-")
        sender.write(lines: [Self.increment])
        _ = try await sender.output.lines(atLeast: 1)
        try set("fail", in: world)
        sender.write(lines: [Self.increment])
        #expect(try await first.ended() == .status(71))
        #expect(first.errors.lines.joined().contains("could not keep its state"))
        try FileManager.default.removeItem(atPath: "\(world.directory)/fail")
        _ = try await world.startDaemon()
        sender.closeInput()
        #expect(try await world.finish(sender).isSuccess, "It is sent again")
        #expect(try await world.get("counter")["count"]?.int == 2)
      }
    }

    @Test func `A file system that reports late that it cannot bypass the cache keeps a journal`()
      async throws
    {
      try await World.run { world in
        let library = try await CutDisk.build(in: world)
        var settings = settings(world, library)
        settings["CUTDISK_CACHED"] = "1"
        let first = try await world.startDaemon(environment: settings)
        // More than a page.
        for _ in 0..<40 { try await world.send("counter", Self.increment) }
        first.send(signal: SIGKILL)
        _ = try await first.ended()
        _ = try await world.startDaemon()
        #expect(try await world.get("counter")["count"]?.int == 40)
      }
    }

    @Test func `Batched records are synced soon, also without later records`() async throws {
      try await World.run { world in
        let library = try await CutDisk.build(in: world)
        let first = try await world.startDaemon(
          .stored,
          ["--durability", "batched"],
          environment: settings(world, library),
        )
        try set("fail", in: world)
        _ = try world.startClient("--json", "send", "counter", Self.increment)
        #expect(try await first.ended() == .status(71))
        #expect(first.errors.lines.joined().contains("Could not sync"))
      }
    }

    @Test func `A disk that hangs does not keep the daemon from ending, and is reported`()
      async throws
    {
      try await World.run { world in
        let library = try await CutDisk.build(in: world)
        let first = try await world.startDaemon(environment: settings(world, library))
        try await world.send("counter", Self.increment)
        try set("hang", in: world)
        _ = try world.startClient("--json", "send", "counter", Self.increment)
        var status = try await world.answer("--json", "status")
        while status["newestRevision"] == status["durableRevision"] {
          status = try await world.answer("--json", "status")
        }
        #expect(try await world.get("counter")["count"]?.int == 1, "Reading continues")
        first.send(signal: SIGTERM)
        #expect(try await first.ended() == .status(71))
        #expect(first.errors.lines.joined().contains("disk"))
      }
    }

    /// Sends an action repeatedly until the answer is the expected one.
    private func send(
      _ scope: String,
      _ action: String,
      in world: World,
      until isOver: (String) -> Bool,
    ) async throws {
      var answer = ""
      while !isOver(answer) {
        answer = try await world.client("--json", "send", scope, action, "--timeout", "2")
          .output.joined()
      }
    }

    @Test(
      arguments: [("full", "the disk is full"), ("quota", "the quota of the disk is used up")]
    )
    func `On a full disk actions are refused at once, and with room all work resumes`(
      flag: String,
      reason: String,
    ) async throws {
      try await World.run { world in
        let library = try await CutDisk.build(in: world)
        let daemon = try await world.startDaemon(environment: settings(world, library))
        try await world.send("counter", Self.increment)
        try set(flag, in: world)
        // The first record finds the disk full, and waits; actions after it are refused.
        let first = try world.startClient("--json", "send", "counter", Self.increment)
        let add = #"{"addButtonTapped":{"title":"more"}}"#
        try await send("todos", add, in: world) { $0.contains("overloaded") }
        #expect(try await world.get("counter")["count"]?.int == 1, "Reading continues")
        let status = try await world.answer("--json", "status")
        #expect(status["obstacle"]?.text?.contains(reason) == true, "\(status.text())")
        #expect(status["newestRevision"]?.int ?? 0 > status["durableRevision"]?.int ?? 9)
        _ = try await daemon.errors.line("a full disk") { $0.contains(reason) }
        #expect(daemon.errors.lines.count { $0.contains(reason) } == 1, "The error appears once")
        try FileManager.default.removeItem(atPath: "\(world.directory)/\(flag)")
        let waited = try await world.finish(first).isSuccess ? 1 : 0
        try await send("counter", Self.increment, in: world) { $0.contains("applied") }
        #expect(try await world.get("counter")["count"]?.int == 2 + waited)
        #expect(try await world.answer("--json", "status")["obstacle"] == .null)
        _ = try await daemon.errors.line("its end") { $0.contains("taken again") }
      }
    }

    /// Returns the end of a daemon that takes over a history whose end it writes again.
    private func takeOver(
      _ world: World,
      _ durability: Durability,
      refusing call: String,
      _ error: Int32,
      times: Int,
    ) async throws -> ChildProcess {
      var settings = settings(world, try await CutDisk.build(in: world))
      let path = try #require(LogSegments(in: "\(world.directory)/data").paths.last)
      let name = (path as NSString).lastPathComponent
      // The first call is that of the seal.
      settings["CUTDISK_REFUSE"] = "\(call) /\(name) \(error) 2 \(times)"
      let daemon = try world.start(
        .stored,
        ["--dir", world.directory, "--durability", durability.rawValue],
        environment: settings,
      )
      try await waitForFirst([
        { _ = try await daemon.output.lines(atLeast: 1) }, { _ = try await daemon.ended() },
      ])
      return daemon
    }

    @Test(arguments: Durability.allCases)
    func
      `Who takes over, and cannot write the end again or sync it, says so and has built on nothing`(
        durability: Durability
      ) async throws
    {
      try await World.run { world in
        var count = 0
        var daemon = try await world.startDaemon(.stored, ["--durability", durability.rawValue])
        let epoch = try await world.answer("--json", "status")["epoch"]
        let cases: [(call: String, error: Int32, times: Int, status: Int32?, words: String)] = [
          ("pwrite", ENOSPC, 0, 75, "the disk is full"), ("pwrite", EDQUOT, 0, 75, "quota"),
          ("pwrite", EIO, 1, 71, "write"), ("fdatasync", EIO, 1, 71, "sync"),
          ("fdatasync", ENOSPC, 1, 71, "sync"), ("pwrite", ENOSPC, 1, nil, ""),
        ]
        for (call, error, times, status, words) in cases {
          try await world.send("counter", Self.increment)
          count += 1
          daemon.send(signal: SIGKILL)
          _ = try await daemon.ended()
          daemon = try await takeOver(world, durability, refusing: call, error, times: times)
          let said = daemon.errors.lines.joined()
          if let status {
            #expect(try await daemon.ended() == .status(status), "\(call) \(error): \(said)")
            #expect(said.contains(words), "\(call) \(error): \(said)")
            daemon = try await world.startDaemon(.stored, ["--durability", durability.rawValue])
          } else {
            #expect(daemon.isRunning, "The reserve has made room: \(said)")
          }
          #expect(try await world.get("counter")["count"]?.int == count, "\(call) \(error)")
        }
        #expect(try await world.answer("--json", "status")["epoch"] == epoch)
      }
    }

    @Test func `A daemon starts on a full disk, with the space of its reserve`() async throws {
      try await World.run { world in
        let library = try await CutDisk.build(in: world)
        let first = try await world.startDaemon(environment: settings(world, library))
        try await world.send("counter", Self.increment)
        first.send(signal: SIGTERM)
        #expect(try await first.ended() == .status(0))
        try set("tight", in: world)
        _ = try await world.startDaemon(environment: settings(world, library))
        #expect(try await world.get("counter")["count"]?.int == 1)
        try await world.send("counter", Self.increment)
      }
    }
  }
}
