import StoreActor
import StoreSimulation
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

@MainActor
@Suite("A client and a daemon of different builds", .timeLimit(.minutes(1)))
struct EvolutionTests {
  typealias OldDaemon = LibraryDaemon<OldBuild.Library, OldBuild.Action>
  typealias NewDaemon = LibraryDaemon<NewBuild.Library, NewBuild.Action>
  typealias MiddleDaemon = LibraryDaemon<MiddleBuild.Library, MiddleBuild.Action>

  private func oldDaemon(epoch: UInt64 = 1) -> OldDaemon {
    let rows = [OldBuild.Row(id: 1, title: "Emma", stars: 3, shelf: "A")]
    let library = OldBuild.Library(name: "Town", rows: IdentifiedArray(uniqueElements: rows))
    return OldDaemon(library, epoch: epoch, OldBuild.reduce)
  }

  private func failure(_ ticket: ActionTicket) -> Outcome.Failure? {
    if case .failed(let failure)? = ticket.outcome { failure } else { nil }
  }

  private func refusal(_ scope: ClientScope) -> JoinFailure? {
    if case .refused(let failure) = scope.status { failure } else { nil }
  }

  // MARK: States

  @Test("§2.1: the newer client joins with the older daemon's hashes and sees its own fields")
  func firstState() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (scope, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    #expect(scope.status == .live)
    let row = NewBuild.Row(stars: 3, isNew: true, title: "Emma", id: 1)
    #expect(
      replica.shown
        == NewBuild.Library(
          mood: .calm,
          rows: [row],
          label: "Town",
          subtitle: "none yet",
          unread: 0,
          count: 0,
        )
    )
    #expect(daemon.server.counters.snapshots == 1)
    let hashes = bench.joins.map { $0.map(\.stateHash) }
    #expect(
      hashes == [
        [SchemaRegistry.document(for: NewBuild.Library.self).hash],
        [SchemaRegistry.document(for: OldBuild.Library.self).hash],
      ]
    )
  }

  private struct Meter: ReplicatedRecord, Equatable {
    var id = 1
    var total = 0

    static let layout = RecordLayout<Self>(
      "Meter",
      [.field("id", \.id), .field("total", \.total)],
    )
  }

  /// Another state with the name of the library's state.
  private struct Renamed: ReplicatedRecord, Equatable {
    var total = 0

    static let layout = RecordLayout<Self>("Library", [.field("total", \.total)])
  }

  @Test("§9: a type of another name without a common field is refused")
  func anotherType() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (scope, replica) = try bench.follow(Meter.self, OldBuild.Action.self)
    #expect(refusal(scope)?.code == "schemaMismatch")
    #expect(
      refusal(scope)?.details
        == [#"the scope is a "Library" there, and "Meter" here has nothing of that"#]
    )
    #expect(replica.shown == nil)
    // Under its own name a build may have replaced every field.
    let (same, renamed) = try bench.follow(Renamed.self, OldBuild.Action.self)
    #expect(same.status == .live && renamed.shown == Renamed())
  }

  @Test("After many actions of both sides the states are equal, and the digests match")
  func manyActions() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (scope, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    var generator = SeededGenerator(seed: 4)
    for step in 0..<400 {
      let id = Int.random(in: 1...8, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: try bench.send(NewBuild.Action.renamed(to: "n\(step)", isQuiet: true), to: scope)
      case 1, 2: try bench.send(NewBuild.Action.added(title: "t\(step)"), to: scope)
      case 3: try bench.send(NewBuild.Action.removed(id: id), to: scope)
      case 4: try bench.send(NewBuild.Action.moodChanged(.busy(level: step)), to: scope)
      case 5: try bench.send(NewBuild.Action.row(id: id, action: .starred), to: scope)
      case 6: _ = daemon.root.send(.library(.row(id: id, action: .shelved("s\(step)"))))
      default: _ = daemon.root.send(.library(.moodChanged(.calm)))
      }
      try bench.settle()
      #expect(replica.shown == NewBuild.Library(daemon.root.state.library), "after step \(step)")
      if step.isMultiple(of: 50) { try bench.advance(by: .milliseconds(300)) }
    }
    try bench.advance(by: .milliseconds(300))
    #expect(daemon.root.state.library.rows.count > 3)
    #expect(bench.resynchronizations == [])
    #expect(daemon.server.counters.snapshots == 1)
    #expect(bench.client.revision == daemon.root.revision)
  }

  @Test("A change of a field that only the daemon has changes only the revision")
  func invisibleChange() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (_, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    let before = replica.shown
    for text in ["one", "two"] { _ = daemon.root.send(.library(.legacyWritten(text))) }
    try bench.settle()
    #expect(daemon.root.revision == 2)
    #expect(bench.client.revision == 2)
    #expect(replica.shown == before)
    try bench.advance(by: .milliseconds(300))
    #expect(bench.resynchronizations == [])
  }

  @Test("An optional scope appears and disappears")
  func optionalScope() throws {
    let daemon = OldDaemon(OldBuild.Library(), tail: nil, epoch: 1, OldBuild.reduce)
    let bench = try BenchClient(daemon)
    let (scope, replica) = try bench.follow(
      scope: "tail",
      NewBuild.Library.self,
      NewBuild.Action.self,
    )
    #expect(scope.status == .live)
    #expect(replica.shown == nil)
    let absent = try bench.send(NewBuild.Action.added(title: "x"), to: scope)
    #expect(failure(absent)?.code == Outcome.absent)
    _ = daemon.root.send(.tailReplaced(OldBuild.Library(name: "there")))
    try bench.settle()
    #expect(replica.shown?.label == "there")
    try bench.send(NewBuild.Action.renamed(to: "still", isQuiet: false), to: scope)
    #expect(replica.shown?.label == "still")
    _ = daemon.root.send(.tailReplaced(nil))
    try bench.settle()
    #expect(!replica.isShown)
    try bench.advance(by: .milliseconds(300))
    #expect(bench.resynchronizations == [])
  }

  @Test("A digest that differs is detected, and the scope is fetched again")
  func drift() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (scope, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    // A delta that the daemon never made.
    bench.alterPublished { message in
      guard case .deltas(var run) = message else { return message }
      let old = OldBuild.Library()
      var new = old
      new.name = "forged"
      let delta = Optional(new).delta(from: old) ?? []
      run.steps = run.steps.map {
        PublishedMessage.Step(
          revision: $0.revision,
          changes: [PublishedMessage.Change(index: 0, delta: delta[...])],
        )
      }
      return .deltas(run)
    }
    try bench.send(NewBuild.Action.renamed(to: "right", isQuiet: true), to: scope)
    #expect(replica.shown?.label == "forged")
    bench.alterPublished { $0 }
    try bench.advance(by: .milliseconds(300))
    #expect(bench.resynchronizations.count == 1)
    #expect(replica.shown == NewBuild.Library(daemon.root.state.library))
    #expect(daemon.server.counters.snapshots == 2)
  }

  @Test("After a break the client resumes with a delta, which is also translated")
  func resume() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (scope, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    try bench.send(NewBuild.Action.added(title: "before"), to: scope)
    bench.published.isBroken = true
    _ = daemon.root.send(.library(.added(title: "meanwhile")))
    _ = daemon.root.send(.library(.moodChanged(.busy(level: 2))))
    try bench.settle()
    #expect(replica.shown != NewBuild.Library(daemon.root.state.library))
    bench.published.isBroken = false
    let joins = bench.joins.count
    try bench.connect()
    #expect(replica.shown == NewBuild.Library(daemon.root.state.library))
    #expect(daemon.server.counters.snapshots == 1, "a replay was enough")
    #expect(bench.joins.count == joins + 1, "the daemon's types are known already")
    try bench.advance(by: .milliseconds(300))
    #expect(bench.resynchronizations == [])
  }

  @Test("Through many breaks every change arrives, and no snapshot is needed")
  func manyBreaks() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (scope, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    var generator = SeededGenerator(seed: 11)
    for round in 0..<40 {
      bench.published.isBroken = true
      var tickets: [ActionTicket] = []
      for step in 0..<Int.random(in: 0...6, using: &generator) {
        let id = Int.random(in: 1...6, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: tickets.append(try bench.send(NewBuild.Action.added(title: "\(round)"), to: scope))
        case 1: tickets.append(try bench.send(NewBuild.Action.removed(id: id), to: scope))
        case 2: _ = daemon.root.send(.library(.moodChanged(.busy(level: step))))
        case 3: _ = daemon.root.send(.library(.row(id: id, action: .shelved("\(round)"))))
        default: _ = daemon.root.send(.library(.legacyWritten("\(round)")))
        }
        try bench.settle()
      }
      bench.published.isBroken = false
      try bench.connect()
      #expect(replica.shown == NewBuild.Library(daemon.root.state.library), "after break \(round)")
      #expect(tickets.allSatisfy { $0.isFinished })
      try bench.advance(by: .milliseconds(300))
    }
    #expect(daemon.server.counters.snapshots == 1)
    #expect(bench.resynchronizations == [])
  }

  @Test("Two followers of one scope may be of two builds")
  func twoBuilds() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (_, old) = try bench.follow(OldBuild.Library.self, OldBuild.Action.self)
    let (scope, new) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    try bench.send(NewBuild.Action.added(title: "both"), to: scope)
    #expect(old.shown == daemon.root.state.library)
    #expect(new.shown == NewBuild.Library(daemon.root.state.library))
    try bench.advance(by: .milliseconds(300))
    #expect(bench.resynchronizations == [])
  }

  // MARK: Actions

  @Test("An action that the daemon does not know is rejected by name, and the others run")
  func unknownAction() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (scope, _) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    func text(_ action: NewBuild.Action) throws -> String {
      let ticket = try bench.send(action, to: scope)
      #expect(ticket.isFinished)
      #expect(failure(ticket)?.code == Outcome.rejected)
      return failure(ticket)?.message ?? ""
    }
    let known =
      #""renamed", "added", "removed", "moodChanged", "row", "legacyWritten". Update the daemon."#
    #expect(
      try text(.pinned(id: 1))
        == #"The daemon is of another build and does not know the action "pinned" of "library"; "#
        + "it knows \(known)"
    )
    #expect(
      try text(.row(id: 1, action: .archived))
        == "The daemon is of another build and does not know the action \"row.action.archived\" "
        + #"of "library"; it knows "starred", "shelved". Update the daemon."#
    )
    #expect(
      try text(.moodChanged(.idle))
        == "The daemon is of another build and does not know the action \"moodChanged.idle\" "
        + #"of "library"; it knows "calm", "busy". Update the daemon."#
    )
    #expect(daemon.root.revision == 0)
    let good = try bench.send(NewBuild.Action.added(title: "good"), to: scope)
    #expect(good.outcome == .applied(revision: 1, hasEffects: false))
  }

  @Test("An action in flight to a daemon of another build is translated for the next daemon")
  func actionsAcross() throws {
    let first = NewDaemon(NewBuild.Library(), epoch: 1, NewBuild.reduce)
    let bench = try BenchClient(first)
    let (scope, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    bench.losesSent = true
    let tickets = [
      try bench.send(NewBuild.Action.renamed(to: "across", isQuiet: true), to: scope),
      try bench.send(NewBuild.Action.pinned(id: 1), to: scope),
      try bench.send(NewBuild.Action.added(title: "last"), to: scope),
    ]
    #expect(tickets.allSatisfy { $0.sequence != nil && $0.outcome == nil })
    bench.losesSent = false
    let second = oldDaemon(epoch: 2)
    try bench.connect(to: second)
    #expect(tickets[0].outcome == .applied(revision: 1, hasEffects: false))
    #expect(failure(tickets[1])?.message.contains("does not know the action \"pinned\"") == true)
    #expect(failure(tickets[1])?.code == Outcome.outcomeUnknown, "the first may have applied it")
    #expect(tickets[2].outcome == .applied(revision: 2, hasEffects: false))
    #expect(second.root.state.library.name == "across")
    #expect(replica.shown == NewBuild.Library(second.root.state.library))
  }

  @Test("The size limit of an action applies to its form in the daemon's build")
  func tooLarge() throws {
    let bench = try BenchClient(oldDaemon())
    let (scope, _) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    let large = NewBuild.Action.renamed(to: String(repeating: "x", count: 100), isQuiet: true)
    let translated = try OldBuild.Action.renamed(to: String(repeating: "x", count: 100)).encoded()
    let ticket = ActionTicket(scope: scope, action: try large.encoded(), timeToLive: nil)
    #expect(translated.count == 115)
    #expect(ticket.obstacle(mostBytes: 115) == nil)
    #expect(
      ticket.obstacle(mostBytes: 114)?.message
        == "The action has 115 bytes, and the daemon takes 114 at most."
    )
  }

  @Test("An action that is submitted after a refusal keeps its time to live")
  func lifeOfTheNext() throws {
    let bench = try BenchClient(oldDaemon())
    let (scope, _) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    let next = try NewBuild.Action.added(title: "next").encoded()
    let unknown = bench.client.submit(try NewBuild.Action.pinned(id: 1).encoded(), to: scope)
    unknown.whenSettled { _ in
      _ = bench.client.submit(next, to: scope, timeToLive: .seconds(1))
    }
    try bench.settle()
    let deadlines = bench.sent.flatMap { message -> [UInt64?] in
      if case .actions(_, let requests) = message { requests.map(\.deadline) } else { [] }
    }
    #expect(deadlines == [bench.now.wallMilliseconds + 1_000])
  }

  @Test("The action types of a later sender are requested separately, and translated")
  func laterActions() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (reader, _) = try bench.follow(NewBuild.Library.self, Never.self)
    #expect(reader.status == .live)
    let (scope, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    try bench.send(NewBuild.Action.renamed(to: "later", isQuiet: true), to: scope)
    #expect(daemon.root.state.library.name == "later")
    #expect(replica.shown?.label == "later")
  }

  @Test("A refusal of action types does not affect followers that send no actions")
  func laterRefusal() throws {
    let bench = try BenchClient(NewDaemon(NewBuild.Library(), epoch: 1, NewBuild.reduce))
    let (reader, replica) = try bench.follow(NewBuild.Library.self, Never.self)
    let (scope, _) = try bench.follow(NewBuild.Library.self, OldBuild.Action.self)
    #expect(refusal(scope)?.code == "schemaMismatch")
    #expect(reader.status == .live)
    #expect(replica.isShown)
  }

  @Test("A follower that sends no actions needs no action types")
  func onlyLooking() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (scope, replica) = try bench.follow(OldBuild.Library.self, Never.self)
    #expect(scope.status == .live)
    _ = daemon.root.send(.library(.added(title: "seen")))
    try bench.settle()
    #expect(replica.shown == daemon.root.state.library)
    try bench.advance(by: .milliseconds(300))
    #expect(bench.resynchronizations == [])
  }

  @Test("The actions of a send-only scope are translated")
  func sendOnly() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let scope = bench.client.add(
      "library",
      mode: .sendOnly,
      action: SchemaRegistry.document(for: NewBuild.Action.self),
      replica: nil,
    )
    try bench.settle()
    #expect(scope.status == .live)
    try bench.send(NewBuild.Action.renamed(to: "sent", isQuiet: true), to: scope)
    #expect(daemon.root.state.library.name == "sent")
  }

  // MARK: Refusals

  @Test("An unreadable type is refused with every field that differs, of states and actions")
  func refused() throws {
    let bench = try BenchClient(NewDaemon(NewBuild.Library(), epoch: 1, NewBuild.reduce))
    let (scope, replica) = try bench.follow(OldBuild.Library.self, OldBuild.Action.self)
    #expect(
      refusal(scope)
        == JoinFailure(
          code: "schemaMismatch",
          message: "This client was built with other types for \"library\" than the daemon.",
          details: [
            "Library.unread: int64 here, optional int64 there",
            "Library.mood.idle: only there",
            "Library.rows[].stars: int32 here, int64 there",
            "Library.Action.renamed.isQuiet: only there, without a default",
          ],
        )
    )
    #expect(replica.shown == nil)
    let ticket = try bench.send(OldBuild.Action.removed(id: 1), to: scope)
    #expect(failure(ticket)?.code == Outcome.rejected)
    #expect(bench.client.isQuiet)
  }

  @Test("A scope without its own reader accepts only identical types")
  func exactly() throws {
    let bench = try BenchClient(oldDaemon())
    let replica = TypedReplica<NewBuild.Library>()
    let scope = bench.client.add(
      "library",
      mode: .follow,
      state: SchemaRegistry.document(for: NewBuild.Library.self),
      replica: replica,
    )
    try bench.settle()
    #expect(refusal(scope)?.details.contains("Library.label: only here") == true)
    #expect(bench.joins.count == 1)
  }

  @Test("A state that this program cannot hold is refused in one sentence, and not requested again")
  func unreadable() throws {
    let daemon = oldDaemon()
    let bench = try BenchClient(daemon)
    let (scope, replica) = try bench.follow(StrictBuild.Library.self, Never.self)
    #expect(replica.shown?.name.text == "Town")
    _ = daemon.root.send(.library(.renamed(to: "a long name")))
    try bench.settle()
    #expect(
      refusal(scope)
        == JoinFailure(
          code: "badState",
          message: "The daemon's state of \"library\" is of another build and cannot be read "
            + "here: $.name: \"a long name\" is longer than 9 bytes (at byte 18)",
          details: [],
        )
    )
    #expect(replica.shown?.name.text == "Town")
    #expect(bench.client.isQuiet)
  }

  @Test("A state that cannot be held is fetched once, and the others do not wait for it")
  func unreadableOnce() throws {
    let library = OldBuild.Library(name: "a long name")
    let daemon = OldDaemon(library, tail: OldBuild.Library(), epoch: 1, OldBuild.reduce)
    let bench = try BenchClient(daemon)
    let (_, tail) = try bench.follow(scope: "tail", OldBuild.Library.self, OldBuild.Action.self)
    let (scope, _) = try bench.follow(StrictBuild.Library.self, Never.self)
    #expect(refusal(scope)?.code == "badState")
    #expect(bench.joins.filter { $0.contains { $0.scope == "library" } }.count == 2)
    #expect(tail.isShown)
    #expect(bench.client.isQuiet)
  }

  @Test("A snapshot that does not match the daemon's own schema is refused")
  func wrongSnapshot() throws {
    let bench = try BenchClient(oldDaemon())
    bench.alter { message in
      guard case .snapshot(var piece) = message else { return message }
      piece.bytes = [0x01]
      piece.total = 1
      return .snapshot(piece)
    }
    let (scope, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    #expect(refusal(scope)?.code == "badState")
    #expect(replica.shown == nil)
    #expect(bench.client.isQuiet)
  }

  @Test("A daemon that refuses the types that it describes receives no third request")
  func contradiction() throws {
    let bench = try BenchClient(oldDaemon())
    bench.alter { message in
      guard case .joined(let nonce, _, _) = message else { return message }
      let answer = DaemonMessage.JoinAnswer.refused(
        JoinFailure(code: "schemaMismatch", message: "Others.")
      )
      return .joined(nonce: nonce, topic: nil, [answer])
    }
    let (scope, _) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    #expect(
      refusal(scope)
        == JoinFailure(
          code: "schemaMismatch",
          message: "Others. It describes the types that it refused.",
          details: [],
        )
    )
    #expect(bench.joins.count == 2)
    #expect(bench.client.isQuiet)
  }

  // MARK: Other daemons

  @Test("Each new daemon is read by its own types, until one has the client's build again")
  func oneDaemonAfterAnother() throws {
    let first = oldDaemon(epoch: 1)
    let bench = try BenchClient(first)
    let (scope, replica) = try bench.follow(OldBuild.Library.self, OldBuild.Action.self)
    try bench.send(OldBuild.Action.renamed(to: "first"), to: scope)
    #expect(bench.joins.count == 1)

    let second = MiddleDaemon(MiddleBuild.Library(), epoch: 2, MiddleBuild.reduce)
    try bench.connect(to: second)
    #expect(scope.status == .live)
    #expect(replica.shown?.name == "middle")
    try bench.send(OldBuild.Action.renamed(to: "second"), to: scope)
    #expect(second.root.state.library.name == "second")
    #expect(replica.shown?.name == "second")
    let unknown = try bench.send(OldBuild.Action.removed(id: 1), to: scope)
    #expect(failure(unknown)?.message.contains(#"it knows "mottoChanged", "renamed""#) == true)
    _ = second.root.send(.library(.mottoChanged("unseen")))
    try bench.advance(by: .milliseconds(300))

    // An unreadable scope is refused, and may be live again with the next daemon.
    try bench.connect(to: NewDaemon(NewBuild.Library(), epoch: 3, NewBuild.reduce))
    #expect(refusal(scope)?.code == "schemaMismatch")
    #expect(replica.shown?.name == "second")

    let fourth = oldDaemon(epoch: 4)
    let joins = bench.joins.count
    try bench.connect(to: fourth)
    #expect(scope.status == .live)
    #expect(scope.translation == nil)
    #expect(bench.joins.count == joins + 1)
    try bench.send(OldBuild.Action.removed(id: 1), to: scope)
    #expect(replica.shown == fourth.root.state.library)
    #expect(bench.resynchronizations == [])
  }

  @Test("A waiter for a refused scope waits for the state of the next daemon")
  func refusedBefore() throws {
    let bench = try BenchClient(oldDaemon(epoch: 1))
    let (scope, replica) = try bench.follow(OldBuild.Library.self, OldBuild.Action.self)
    try bench.connect(to: NewDaemon(NewBuild.Library(), epoch: 2, NewBuild.reduce))
    #expect(refusal(scope)?.code == "schemaMismatch")
    let third = oldDaemon(epoch: 3)
    third.holdsJobs = true
    try bench.connect(to: third)
    #expect(scope.status == .joining)
    var shown: [Bool] = []
    bench.client.wait(for: .state(of: ObjectIdentifier(scope)), within: nil) { _ in
      shown.append(replica.isShown)
    }
    #expect(shown == [])
    third.finishJobs()
    third.holdsJobs = false
    try third.settle()
    #expect(shown == [true])
  }

  @Test("A waiter for a scope whose types are requested fails when the connection closes")
  func closedMeanwhile() throws {
    let bench = try BenchClient(oldDaemon())
    bench.alter { message in
      guard case .description = message else { return message }
      return .pong(
        number: 0,
        revision: 0,
        watermark: DaemonMessage.Watermark(nonce: 0, sequence: 0),
      )
    }
    let (scope, _) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    var failure: WaitFailure?
    bench.client.wait(for: .state(of: ObjectIdentifier(scope)), within: nil) { result in
      if case .failure(let reason) = result { failure = reason }
    }
    bench.turn.close("enough")
    #expect(failure == .closed("enough"))
    #expect(scope.status == .closed("enough"))
  }

  @Test("While types are requested, other scopes continue, and actions wait for the answer")
  func meanwhile() throws {
    let daemon = OldDaemon(OldBuild.Library(), tail: OldBuild.Library(), epoch: 1, OldBuild.reduce)
    let bench = try BenchClient(daemon)
    var description: DaemonMessage?
    bench.alter { message in
      guard case .description = message else { return message }
      description = message
      return .pong(
        number: 0,
        revision: 0,
        watermark: DaemonMessage.Watermark(nonce: 0, sequence: 0),
      )
    }
    let (tail, old) = try bench.follow(
      scope: "tail",
      OldBuild.Library.self,
      OldBuild.Action.self,
    )
    let (library, new) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    let waiting = try bench.send(NewBuild.Action.renamed(to: "late", isQuiet: true), to: library)
    #expect(library.status == .joining)
    #expect(tail.status == .live)
    #expect(waiting.outcome == nil)
    #expect(new.shown == nil)
    _ = daemon.root.send(.tail(.renamed(to: "goes on")))
    try bench.settle()
    #expect(old.shown?.name == "goes on")

    bench.alter { $0 }
    try bench.deliver(try #require(description))
    #expect(library.status == .live)
    #expect(waiting.outcome == .applied(revision: 2, hasEffects: false))
    #expect(new.shown?.label == "late")
    #expect(daemon.server.counters.snapshots == 2, "the one that was there was kept")
    try bench.advance(by: .milliseconds(300))
    #expect(bench.resynchronizations == [])
  }

  private func namedDaemon<Library: ReplicatedState & Equatable, Action: WireAction>(
    _ library: Library,
    name: any KeyPath<LibraryHost<Library, Action>.State, String> & Sendable,
    epoch: UInt64,
    _ reduce: @escaping @Sendable (inout Library, Action) -> Void,
  ) -> LibraryDaemon<Library, Action> {
    typealias Host = LibraryHost<Library, Action>
    let host = Host(reduceLibrary: reduce)
    let state = Host.State(library: library)
    return LibraryDaemon<Library, Action>(
      RootCore(initialState: { state }, reducer: { host }),
      exposures: Host.exposures + [Expose("name", state: name)],
      epoch: epoch,
    )
  }

  @Test("While a shown scope waits for new types, no other scope continues alone: no torn cut")
  func oneCut() throws {
    let old = OldBuild.Library(name: "first")
    let first: OldDaemon = namedDaemon(old, name: \.library.name, epoch: 1, OldBuild.reduce)
    let bench = try BenchClient(first)
    let (scope, library) = try bench.follow(OldBuild.Library.self, OldBuild.Action.self)
    let (named, name) = try bench.follow("name", String.self)
    var seen: [[String?]] = []
    let observer = try #require(name.root).observe { _ in
      seen.append([library.shown?.name, name.shown])
    }
    var state = MiddleBuild.Library()
    state.name = "second"
    let second: MiddleDaemon =
      namedDaemon(state, name: \.library.name, epoch: 2, MiddleBuild.reduce)
    try bench.connect(to: second)
    #expect(scope.status == .live && named.status == .live)
    #expect(library.shown?.name == "second")
    let both = ["second", "second"]
    #expect(seen == [both])

    // A scope that cannot be read ends, and then the others continue.
    seen = []
    let new = NewBuild.Library(label: "third")
    let third: NewDaemon = namedDaemon(new, name: \.library.label, epoch: 3, NewBuild.reduce)
    try bench.connect(to: third)
    #expect(refusal(scope)?.code == "schemaMismatch")
    #expect(named.status == .live)
    let ended = ["second", "third"]
    #expect(seen == [ended])
    observer.cancel()
  }

  @Test("A daemon that is replaced while its types are requested receives the request again")
  func replacedMeanwhile() throws {
    let bench = try BenchClient(oldDaemon(epoch: 1))
    // The description never arrives.
    bench.alter { message in
      guard case .description = message else { return message }
      return .pong(
        number: 0,
        revision: 0,
        watermark: DaemonMessage.Watermark(nonce: 0, sequence: 0),
      )
    }
    let (scope, replica) = try bench.follow(NewBuild.Library.self, NewBuild.Action.self)
    #expect(scope.status == .joining)
    #expect(!bench.client.isQuiet)
    bench.alter { $0 }
    let second = NewDaemon(NewBuild.Library(label: "second"), epoch: 2, NewBuild.reduce)
    try bench.connect(to: second)
    #expect(scope.status == .live)
    #expect(scope.translation == nil)
    #expect(replica.shown == second.root.state.library)
    #expect(bench.client.isQuiet)
  }
}
