import Foundation
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreReplica
@testable import StoreServer

/// Scope names that peers send: docs/PROTOCOL.md §8.1 and §13.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ScopeNameTests {
  /// A name of a row whose id is spelled with spaces, as JSON allows.
  private static func alias(_ id: Int = 1, bytes: Int) -> String {
    let (prefix, id) = ("cards/row/", "\(id)")
    let spaces = bytes - prefix.utf8.count - id.utf8.count
    return prefix + String(repeating: " ", count: spaces) + id
  }

  private func handles(_ answers: [DaemonMessage.JoinAnswer]) -> [UInt64?] {
    answers.map { if case .accepted(let handle) = $0 { handle } else { nil } }
  }

  private func failures(_ answers: [DaemonMessage.JoinAnswer]) -> [JoinFailure] {
    answers.compactMap { if case .refused(let failure) = $0 { failure } else { nil } }
  }

  private func write(_ title: String, handle: UInt64 = 1) throws -> ClientMessage.ActionRequest {
    let action = try Deck.CardAction.titleChanged(title: title).encoded()
    return ClientMessage.ActionRequest(handle: handle, action: action[...], deadline: nil)
  }

  @Test func `All names of a scope have one handle, and the daemon keeps its own name alone`()
    throws
  {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let names = ["cards/row/1", Self.alias(bytes: 200), Self.alias(2, bytes: 30)]
    let joined = try bench.join(
      1,
      hello,
      nonce: 1,
      names.map { .follow($0) } + [.other(Self.alias(bytes: 1024), .sendOnly)],
    )
    #expect(handles(joined.answers) == [1, 1, 2, 1])
    let session = try #require(bench.server.sessions.all.first)
    #expect(session.scopes.names == ["cards/row/1", "cards/row/2"])
    // Each scope is captured once.
    #expect(joined.captures.count == 2)
    // Another spelling in the next join names the same scope, which keeps its handle.
    let (_, answers) = try bench.ask(1, nonce: 2, [.follow(Self.alias(bytes: 99))])
    #expect(handles(answers) == [1])
  }

  @Test func `A record and a refusal have the scope's own name, independent of the client's`()
    throws
  {
    let journal = BenchJournal()
    let bench = ServerBench(journal: journal)
    try bench.hello(1)
    _ = try bench.ask(
      1,
      nonce: 1,
      [
        .other(Self.alias(bytes: 1000), .sendOnly), .other(Self.alias(7, bytes: 1000), .sendOnly),
      ],
    )
    bench.receive(
      .actions(first: 1, [try write("new"), try write("nobody's", handle: 2)]),
      from: 1,
    )
    try bench.endTurn()
    bench.turn.finish(.durable(through: bench.root.revision))
    try bench.endTurn()
    guard case .client(let action)? = try journal.records.last?.origin else {
      Issue.record("No action of a client is recorded")
      return
    }
    #expect(action.scope == "cards/row/1")
    guard case .failed(let failure)? = bench.take(1).outcomes.last else {
      Issue.record("The action of an absent row is not refused")
      return
    }
    #expect(failure.code == Outcome.absent && failure.message.contains("\"cards/row/7\""))
    #expect(journal.batches.allSatisfy { $0.records.count < 1000 })
  }

  @Test func `§13: a name with too many bytes is refused, and so is an id with too many`() throws {
    var limits = Limits()
    limits.rowIDBytes = 3
    let bench = ServerBench(limits: limits)
    try bench.hello(1)
    let names = [
      Self.alias(bytes: 1024), Self.alias(bytes: 1025), "cards/row/123", "cards/row/1234",
      "counter" + String(repeating: "x", count: 200_000),
      "cards/row/" + String(repeating: "é", count: 500),
    ]
    let (_, answers) = try bench.ask(1, nonce: 1, names.map { .other($0, .sendOnly) })
    #expect(handles(answers) == [1, nil, 2, nil, nil, nil])
    let refused = failures(answers)
    #expect(refused.allSatisfy { $0.code == "unknownScope" })
    #expect(refused[0].message.contains("1025 bytes") && refused[0].message.contains("1024"))
    #expect(refused[1].message.contains("an id of more than 3 bytes"))
    #expect(refused.allSatisfy { $0.message.utf8.count < 300 }, "\(refused)")
    #expect(bench.server.sessions.names.total < 300)
  }

  @Test func `A message quotes 64 bytes at most, cut between characters`() {
    #expect("counter".quoted == "\"counter\"")
    let long = String(repeating: "é", count: 40)
    #expect(long.quoted.utf8.count <= 66 && long.quoted.hasSuffix("é…\""))
    #expect("ééé".bounded(toBytes: 6) == "ééé")
    #expect("éééx".bounded(toBytes: 6) == "é…")
    #expect("é".bounded(toBytes: 1) == "…")
    let failure = Outcome.Failure(code: "rejected", message: String(repeating: "x", count: 9999))
    #expect(failure.message.utf8.count == TextLimits.failureBytes)
    var refusal = JoinFailure(code: "badState", message: "")
    refusal.message += String(repeating: "x", count: 9999)
    #expect(refusal.message.utf8.count == TextLimits.failureBytes)
  }

  @Test func `Rights are those for the scope's own name`() throws {
    let bench = ServerBench()
    let lines = [
      Grants.Line(
        grantee: .user(1000),
        scopes: [try #require(ScopePattern("cards/row/1"))],
        sees: true,
        sends: .everything,
      )
    ]
    bench.turn.apply(Grants(owner: 999, lines: lines))
    bench.addresses[ServerBench.peer(1)] = "localhost:1000:1:1"
    try bench.hello(1, features: .known)
    let (_, answers) = try bench.ask(
      1,
      nonce: 1,
      [.follow(Self.alias(bytes: 40)), .follow(Self.alias(2, bytes: 40)), .follow("cards/row/2")],
    )
    #expect(handles(answers) == [1, nil, nil])
    let refused = failures(answers)
    // The refusal does not reveal which invisible rows exist.
    #expect(refused.map(\.code) == ["unknownScope", "unknownScope"])
    #expect(refused.allSatisfy { $0.message.contains("There is no scope") })
  }

  @Test func `A pattern of grants names a row in any spelling`() throws {
    let id = UUID()
    let description = ScopeDescription(
      name: "items",
      state: Deck.exposures[0].description.state,
      action: Deck.exposures[0].description.action,
      id: SchemaRegistry.document(for: UUID.self),
    )
    func grants(_ pattern: String) throws -> Grants {
      try Grants(
        reading: "user:1000 \(pattern) see",
        owner: 7,
        exposed: [description],
        accounts: Accounts(user: { _ in nil }, group: { _ in nil }),
      )
    }
    let read = try grants("items/\(id.uuidString.lowercased())")
    #expect(read.lines[0].text == "items/\(id.uuidString) see")
    let user = ActionOrigin.Identity.user(1000, group: 1, process: 1)
    #expect(read.rights(of: user).sees("items/\(id.uuidString)"))
    let error = #expect(throws: GrantsError.self) { try grants("items/everything") }
    #expect(error?.message.contains("does not end in a row's id") == true, "\(error as Any)")
    #expect(try grants("items/*").lines[0].text == "items/* see")
  }

  private struct Note: Equatable, Sendable, ReplicatedRecord {
    var id = ""

    static let layout = RecordLayout<Self>("Note", [.field("id", \.id)])
  }

  private struct Notes: Sendable {
    var notes = IdentifiedArray<String, Note>(uniqueElements: [Note(id: "caf\u{e9}")], id: \.id)
  }

  @Test func `A row that is there is called by its own id, of those that are equal`() throws {
    let ids = SchemaRegistry.document(for: String.self)
    func text(_ id: String) throws -> String {
      try withUnsafePointer(to: Notes()) { root in
        try ExposedRows.text(of: id, StoredPart(\Notes.notes), at: UnsafeRawPointer(root), ids)
      }
    }
    let decomposed = "cafe\u{301}"
    #expect(try text(decomposed).utf8.elementsEqual("caf\u{e9}".utf8))
    #expect(try text("tea\u{301}").utf8.elementsEqual("tea\u{301}".utf8))
  }

  @Test func `§13: names of scopes are limited by bytes, for each holder and in all`() throws {
    var limits = Limits()
    limits.scopeNameBytesOfOne = 3 * 90
    limits.scopeNameBytesOfOthers = 4 * 90
    limits.allScopeNameBytes = 6 * 90
    let bench = ServerBench(limits: limits)
    let lines = [1000, 1001].map { user in
      Grants.Line(
        grantee: .user(user),
        scopes: [ScopePattern("cards/row/*")].compactMap(\.self),
        sees: true,
        sends: .everything,
      )
    }
    bench.turn.apply(Grants(owner: 999, lines: lines))
    func join(_ peer: UInt8, user: Int, nonce: UInt64 = 1, _ count: Int) throws -> Int {
      bench.addresses[ServerBench.peer(peer)] = "localhost:\(user):1:\(peer)"
      if nonce == 1 { try bench.hello(peer, features: .known) }
      let requests = (0..<count).map { number in
        ClientMessage.JoinRequest.other("cards/row/100000\(number)", .sendOnly)
      }
      let (_, answers) = try bench.ask(peer, nonce: nonce, requests)
      let refused = failures(answers)
      #expect(refused.allSatisfy { $0.code == "tooManyScopes" }, "\(refused)")
      return answers.count - refused.count
    }
    // A name of 17 bytes takes 81.
    #expect(try join(1, user: 1000, 2) == 2)
    #expect(try join(2, user: 1000, 2) == 1)
    #expect(try join(3, user: 1001, 2) == 1)
    #expect(try join(4, user: 999, 3) == 2)
    #expect(bench.server.sessions.names.total == 6 * 81)
    #expect(bench.server.counters.byName.contains { $0 == ("scopeNameBytes", 6 * 81) })
    #expect(bench.server.counters.byName.contains { $0 == ("scopeNamesRefused", 3) })
    // A client that leaves scopes, or ends its session, makes room.
    #expect(try join(1, user: 1000, nonce: 2, 1) == 1)
    #expect(try join(2, user: 1000, nonce: 2, 2) == 2)
    bench.receive(.bye, from: 2)
    bench.receive(.bye, from: 4)
    try bench.endTurn()
    #expect(bench.server.sessions.names.total == 2 * 81)
  }

  @Test func `§13: names are counted as long as a view or a join without its fence has them`()
    throws
  {
    var limits = Limits()
    limits.scopeNameBytesOfOne = 5 * 81
    let bench = ServerBench(limits: limits)
    let line = Grants.Line(
      grantee: .user(1000),
      scopes: [try #require(ScopePattern("cards/row/*"))],
      sees: true,
      sends: .nothing,
    )
    bench.turn.apply(Grants(owner: 999, lines: [line]))
    bench.addresses[ServerBench.peer(1)] = "localhost:1000:1:1"
    let hello = try bench.hello(1)
    func follow(_ rows: Range<Int>) -> [ClientMessage.JoinRequest] {
      rows.map { .follow("cards/row/10000\($0)") }
    }
    // A name of 17 bytes takes 81.
    _ = try bench.join(1, hello, nonce: 1, follow(10..<12))
    // The next joins leave these scopes, and their fences do not arrive.
    #expect(failures(try bench.ask(1, nonce: 2, follow(11..<13)).answers).isEmpty)
    #expect(failures(try bench.ask(1, nonce: 3, follow(13..<15)).answers).isEmpty)
    #expect(bench.server.sessions.names.total == 5 * 81)
    let refused = failures(try bench.ask(1, nonce: 4, follow(14..<16)).answers)
    #expect(refused.map(\.code) == ["tooManyScopes"])
    #expect(bench.server.sessions.names.total == 5 * 81)
    // A fence drops the view before it, and the joins before its own.
    _ = try bench.join(1, hello, nonce: 5, follow(14..<15))
    #expect(bench.server.sessions.names.total == 81)
    bench.receive(.bye, from: 1)
    try bench.endTurn()
    #expect(bench.server.sessions.names.total == 0)
  }

  @Test func `The usual spellings of a UUID and all others name the same row`() throws {
    let ids = SchemaRegistry.document(for: UUID.self)
    for _ in 0..<100 {
      let id = UUID()
      let text = id.uuidString
      // An id that is not a plain UUID is read as JSON.
      for name in [text, text.lowercased(), " \"\(text)\"", "\"\(text.lowercased())\" "] {
        let read: UUID = try ScopeDescription.id(name, ids)
        #expect(read == id)
      }
      #expect(ScopeDescription.text(of: id, ids) == text)
      #expect(try ScopeDescription.canonicalID(text.lowercased(), ids.root, ids) == text)
    }
    for wrong in ["", "x", String(UUID().uuidString.dropLast()), UUID().uuidString + "0"] {
      #expect(throws: CodecError.self) { try ScopeDescription.id(wrong, ids) as UUID }
    }
  }

  @Test func `Names match an exposure by their bytes`() {
    func match(_ scope: String, isEach: Bool) -> String? {
      let description = ScopeDescription(
        name: "cards/row",
        state: Deck.exposures[0].description.state,
        action: Deck.exposures[0].description.action,
        id: isEach ? SchemaRegistry.document(for: Int.self) : nil,
      )
      return description.match(scope).map { $0 ?? "all" }
    }
    #expect(match("cards/row", isEach: false) == "all")
    for name in ["cards/rov", "cards/ro", "cards/row/1"] {
      #expect(match(name, isEach: false) == nil)
    }
    #expect(match("cards/row/12", isEach: true) == "12")
    #expect(match("cards/row/e\u{301}", isEach: true) == "e\u{301}")
    for name in ["cards/row", "cards/row/", "cards/rowx1", "card/row/12", "cards/row\u{301}/1"] {
      #expect(match(name, isEach: true) == nil)
    }
  }

  @Test func `§13: outcomes are limited by bytes, and the newest one of each client stays`() throws
  {
    var limits = Limits()
    limits.outcomeBytes = 4000
    let bench = ServerBench(limits: limits)
    for peer in [1, 2] as [UInt8] {
      try bench.hello(peer)
      _ = try bench.ask(peer, nonce: 1, [.other("cards/row/7", .sendOnly)])
    }
    let request = try write("nobody's")
    bench.receive(.actions(first: 1, [request]), from: 2)
    for first in stride(from: UInt64(1), to: 201, by: 20) {
      bench.receive(.actions(first: first, Array(repeating: request, count: 20)), from: 1)
      try bench.endTurn()
      #expect(bench.server.outcomes.outcomeBytes <= 4000)
    }
    #expect(bench.server.outcomes.outcomeBytes > 2000)
    for (peer, last) in [(1, 200), (2, 1)] as [(UInt8, UInt64)] {
      _ = bench.take(peer)
      bench.receive(.actions(first: last, [request]), from: peer)
      try bench.endTurn()
      guard case .failed(let failure)? = bench.take(peer).outcomes.last else {
        Issue.record("No outcome is repeated")
        return
      }
      #expect(failure.code == Outcome.absent)
    }
  }

  @Test func `§13: outcomes that are more than a frame has room for are several frames`() throws {
    var limits = Limits()
    limits.frameBytes = 800
    let bench = ServerBench(limits: limits)
    try bench.hello(1)
    _ = try bench.ask(1, nonce: 1, [.other("cards/row/7", .sendOnly)])
    let requests = Array(repeating: try write("nobody's"), count: 20)
    bench.receive(.actions(first: 1, requests), from: 1)
    try bench.endTurn()
    let frames = bench.takeFrames().compactMap { frame -> [UInt8]? in
      if case .control(_, let body) = frame { body } else { nil }
    }
    #expect(frames.count > 2 && frames.allSatisfy { $0.count <= 800 }, "\(frames.map(\.count))")
    var next: UInt64 = 1
    for frame in frames {
      guard case .acks(let acks) = try DaemonMessage(frame: frame[...]) else {
        Issue.record("Not outcomes")
        return
      }
      #expect(acks.first == next)
      next += UInt64(acks.outcomes.count)
    }
    #expect(next == 21)
  }

  @Test func `§13: the longest outcomes of a whole window fit into a frame`() {
    let limits = Limits()
    let failure = Outcome.failed(
      Outcome.Failure(
        code: Outcome.unauthorised,
        message: String(repeating: "x", count: 2 * TextLimits.failureBytes),
      )
    )
    #expect(failure.mostEncodedBytes * limits.window + 64 <= limits.frameBytes)
    var encoder = CBOREncoder()
    failure.encode(to: &encoder)
    #expect(encoder.count <= failure.mostEncodedBytes)
    // There is room for the newest outcome of each client, also when an eighth is freed.
    let clients = limits.clients + limits.sessions
    #expect(clients * failure.keptBytes <= limits.outcomeBytes - limits.outcomeBytes / 8)
    #expect(limits.scopeNameBytesOfOne < limits.scopeNameBytesOfOthers)
    #expect(limits.scopeNameBytesOfOthers < limits.allScopeNameBytes)
    #expect(limits.rowIDBytes < limits.scopeNameBytes)
  }

  @Test func `A client that follows a scope by two names sees it under both`() throws {
    let bench = ServerBench()
    let client = try BenchClient(bench)
    let names = ["cards/row/1", "cards/row/2", Self.alias(bytes: 20)]
    let replicas = names.map { _ in TypedReplica<Deck.Card>() }
    let scopes = zip(names, replicas).map { name, replica in
      client.client.add(name, mode: .follow, replica: replica)
    }
    try bench.settle()
    #expect(replicas.map { $0.shown?.title } == ["one", "two", "one"])
    #expect(scopes.map(\.handle) == [1, 2, 1])
    bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "uno"))))
    bench.root.send(.cards(.element(id: 2, action: .titleChanged(title: "dos"))))
    try bench.settle()
    #expect(replicas.map { $0.shown?.title } == ["uno", "dos", "uno"])
    // One client joins again, without a state.
    let late = TypedReplica<Deck.Card>()
    _ = client.client.add(Self.alias(bytes: 30), mode: .follow, replica: late)
    try bench.settle()
    bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "eins"))))
    try bench.settle()
    #expect((replicas + [late]).map { $0.shown?.title } == ["eins", "dos", "eins", "eins"])
    #expect(client.client.resyncs == 0)
  }
}
