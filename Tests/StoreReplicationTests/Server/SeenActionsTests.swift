import GenericState
import StoreActor
import StoreState
import Testing

@testable import StoreExposures
@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

extension PastTelling {
  /// The disclosure to a client that may see some scopes of a deck.
  @MainActor
  static func seeing(_ scopes: String...) -> PastTelling {
    let line = Grants.Line(
      grantee: .user(1),
      scopes: scopes.compactMap { ScopePattern($0) },
      sees: true,
      sends: .nothing,
    )
    let rights = Grants(owner: 0, lines: [line]).rights(of: .user(1, group: 1, process: 1))
    let exposed = Deck.exposures.map { $0.scopes() }
    return .seen(SeenActions(rights, StoredActionForm<Deck.Action>(), among: exposed))
  }
}

/// What a client with some rights learns about the causes of changes.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct SeenActionsTests {
  private let journal = BenchJournal()

  private func entries(_ telling: PastTelling) throws -> [GenericValue?] {
    try journal.records.map { $0.entry(changed: [], PastLimits(), telling)?.value }
  }

  private func sync(_ bench: ServerBench) throws {
    try bench.endTurn()
    while let last = journal.batches.last?.revisions.upperBound, last > bench.server.revision {
      bench.turn.finish(.durable(through: last))
      try bench.endTurn()
    }
  }

  @Test("A client's action has a name for those who see its scope, and no sender")
  func clients() throws {
    let bench = ServerBench(journal: journal)
    try bench.join(1, try bench.hello(1), nonce: 1, [.follow("counter")])
    _ = try bench.act(1, sequence: 1, .filled(bytes: 7))
    try sync(bench)
    let seen = try #require(try entries(.seeing("counter"))[0])
    #expect(seen[field: "by"] == .text("client"))
    #expect(seen[field: "scope"] == .text("counter"))
    #expect(seen[field: "name"] == .text("filled"))
    for field in ["action", "session", "sequence", "user", "bytes", "us"] {
      #expect(seen[field: field] == nil, "\(field)")
    }
    #expect(try entries(.seeing("cards", "cards/row/1")) == [nil])
  }

  @Test("An action that a client could have sent has a name for those who see its scope")
  func ownActions() throws {
    let bench = ServerBench(journal: journal)
    bench.root.send(.counter(.incrementButtonTapped))
    // The journal has no form of this one, so its scope is unknown.
    bench.root.send(.counter(.numberFactResponse("a fact")))
    bench.root.send(.secretChanged)
    try sync(bench)
    let seen = try entries(.seeing("counter"))
    #expect(seen[0]?[field: "by"] == .text("internal"))
    #expect(seen[0]?[field: "name"] == .text("counter.incrementButtonTapped"))
    #expect(seen[0]?[field: "action"] == nil)
    #expect(seen[1] == nil && seen[2] == nil)
    #expect(try entries(.seeing("extra")) == [nil, nil, nil])
  }

  @Test("A durable form leads to the scopes of its action, and a name has no ids")
  func durableForms() throws {
    let line = Grants.Line(
      grantee: .user(1),
      scopes: [try #require(ScopePattern("rows/7"))],
      sees: true,
      sends: .nothing,
    )
    let rights = Grants(owner: 0, lines: [line]).rights(of: .user(1, group: 1, process: 1))
    let exposed: [Expose<Alarms.State, Alarms.Action>] = [
      Expose(each: "rows", state: \.rows, action: \.rows)
    ]
    let form = StoredActionForm<Alarms.Action>()
    let seen = SeenActions(rights, form, among: exposed.map { $0.scopes() })
    func name(_ action: Alarms.Action, called name: String) throws -> String? {
      let bytes = try #require(form?.bytes(of: action))
      let record = JournalRecord(
        revision: 1,
        wallMilliseconds: 0,
        origin: .internal(.init(name: name, form: .init(scope: nil, action: bytes))),
        delta: nil,
      )
      return seen.action(of: record)?.name
    }
    let own = Alarms.Action.rows(.element(id: 7, action: .rang("x")))
    #expect(try name(own, called: "rows.element[7].rang") == "rows.element[…].rang")
    // An id may be any text.
    let odd = "rows.element[a].b[c]d].e.element[secret].rang"
    #expect(try name(own, called: odd) == "rows.element[…].rang")
    let other = Alarms.Action.rows(.element(id: 8, action: .rang("x")))
    #expect(try name(other, called: "rows.element[8].rang") == nil)
    #expect(try name(.childToggled, called: "childToggled") == nil)
  }

  @Test("The scopes of an action are those of its exposures and its row")
  func scopes() {
    let exposed = Deck.exposures.map { $0.scopes() }
    func names(_ action: Deck.Action) -> [String] {
      withUnsafePointer(to: action) { place in
        exposed.compactMap { $0.scopeName(UnsafeRawPointer(place)) }
      }
    }
    #expect(names(.counter(.incrementButtonTapped)) == ["counter"])
    #expect(names(.cards(.element(id: 7, action: .titleChanged(title: "")))) == ["cards/row/7"])
    #expect(names(.secretChanged) == [])
  }
}
