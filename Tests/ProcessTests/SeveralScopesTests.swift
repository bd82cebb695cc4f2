import Foundation
import GenericState
import StoreActor
import StoreClient
import StoreProtocol
import StoreReplica
import StoreState
import StoredWorkspace
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// A connection's guarantees hold for all its scopes together.
  @Suite("Several scopes of one connection", .timeLimit(.minutes(4)))
  @MainActor
  struct SeveralScopesTests {
    @Test(
      "Through kills, restarts and dropped stores they agree, in order, without loss",
      arguments: [2, 3, 5],
    )
    func kills(scopes: Int) async throws {
      try await World.run { world in
        var daemon = try await world.startDaemon()
        let screen = try await Screen(world, scopes: scopes)
        var revisions: [UInt64] = []
        for round in 0..<4 {
          var tasks = screen.send()
          // Some have their outcomes, others are on their way.
          revisions.append(try await tasks.removeFirst().applied())
          daemon.send(signal: SIGKILL)
          _ = try await daemon.ended()
          tasks += screen.send()
          daemon = try await world.startDaemon()
          for task in tasks { revisions.append(try await task.applied()) }
          // All stores show the applied actions.
          screen.expectShown("after round \(round)")
          try await screen.reopenLastRow()
        }
        // One order, which is the order of sending: each action has a revision of its own.
        #expect(revisions == revisions.sorted() && Set(revisions).count == revisions.count)
        #expect(screen.told.torn == [])
        #expect(screen.told.disorders == [])
        #expect(screen.told.count > 4 * scopes)
        try await screen.expectSame(world)
        #expect(screen.events.value.filter { $0 == .differed || $0 == .newEpoch } == [])
        try screen.connection.close()
        try await expectGone(world)
      }
    }

    @Test(
      "When the connection is closed they all end, and no action has a wrong outcome",
      arguments: [2, 3, 5],
    )
    func closing(scopes: Int) async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let screen = try await Screen(world, scopes: scopes)
        for task in screen.send() { try await task.applied() }
        // On their way, or not even sent, when it is closed.
        let early = screen.add(20)
        try await early[0].1.applied()
        let late = screen.add(20)
        try screen.connection.close()
        #expect(
          screen.stores.allSatisfy { if case .closed = $0.storeEnd { true } else { false } }
        )
        var (certain, possible) = (Set<String>(), Set<String>())
        for (title, task) in early + late {
          do {
            _ = try await task.applied()
            certain.insert(title)
          } catch let failure as ActionFailure {
            switch failure.code {
            case .appliedNotShown: certain.insert(title)
            case .outcomeUnknown: possible.insert(title)
            case .notSent: break
            default: Issue.record("\(title): \(failure)")
            }
          }
        }
        #expect(certain.count + possible.count < 40, "Unsent actions have not run")
        let items = try #require(try await world.get("todos")["items"]?.items)
        let sent = Set((early + late).map(\.0))
        let titles = items.compactMap { $0["title"]?.text }.filter(sent.contains)
        #expect(Set(titles).count == titles.count)
        #expect(certain.isSubset(of: titles))
        #expect(certain.union(possible).isSuperset(of: titles))
        try await expectGone(world)
      }
    }

    @Test(
      "After a daemon's restart they continue, also if it has lost all state",
      arguments: [2, 3, 5],
    )
    func stopped(scopes: Int) async throws {
      try await World.run { world in
        let first = try await world.startDaemon(.stored, ["--in-memory"])
        let screen = try await Screen(world, scopes: scopes)
        for task in screen.send() { try await task.applied() }
        let last = screen.list.withState { $0 }
        first.send(signal: SIGTERM)
        #expect(try await first.ended() == .status(0))
        // The stores still show the last received state.
        #expect(screen.list.withState { $0 } == last)
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        // The rows are lost with the daemon's memory, and their stores end; the list continues.
        try await screen.list.send(.addButtonTapped(title: "again")).applied()
        #expect(screen.list.items.map(\.title) == ["again"])
        #expect(screen.rows.allSatisfy { StoreEnd(of: $0) == .gone })
        #expect(screen.told.torn == [])
        #expect(screen.events.value.contains(.newEpoch))
        #expect(!screen.events.value.contains(.differed))
        try screen.connection.close()
      }
    }

    @Test(
      "After a pause of the client's reads they agree again, without loss",
      arguments: [2, 3, 5],
    )
    func held(scopes: Int) async throws {
      try await World.run { world in
        _ = try await world.startDaemon()
        let screen = try await Screen(world, scopes: scopes)
        for task in screen.send() { try await task.applied() }
        let row = screen.rows[0].withState(\.id)
        let other = try world.startClient("send", "todos/items/\(row)", "-")
        let long = String(repeating: "x", count: 1_000)
        let actions = (1...6_000).map { #"{"titleChanged":{"title":"\#($0) \#(long)"}}"# }
        other.write(lines: actions)
        other.closeInput()
        // This process does not read meanwhile.
        let deadline = ContinuousClock.now.advanced(by: .seconds(60) * TestPatience.factor)
        while other.isRunning, ContinuousClock.now < deadline { sched_yield() }
        #expect(try await other.ended() == .status(0))
        for task in screen.send() { try await task.applied() }
        screen.expectShown("after it could read again")
        #expect(!screen.events.value.contains(.differed))
        #expect(screen.told.torn == [])
        #expect(screen.told.disorders == [])
        #expect(screen.told.count < 6_000)
        try await screen.expectSame(world)
        try screen.connection.close()
      }
    }

    @Test("Ten thousand stores that are opened and dropped leave the daemon as it was")
    func tenThousand() async throws {
      try await World.run { world in
        let daemon = try await world.startDaemon()
        let screen = try await Screen(world, scopes: 2)
        let connection = screen.connection
        let rows = try await screen.addRows(5)
        @MainActor func open(_ count: Int) async throws {
          for number in 0..<count {
            let id = rows[number % rows.count]
            let store = try await connection.store("todos/items/\(id)", Todo.self)
            let shown = store.withState(\.id)
            #expect(shown == id)
          }
        }
        // Each scope is left before the next one opens, so that every one is joined.
        connection.linger = .zero
        try await open(500)
        let before = try daemon.residentBytes()
        try await open(1_500)
        connection.linger = .seconds(1)
        try await open(8_000)
        connection.linger = .zero
        try await open(5)
        while !connection.client.unheldScopes.isEmpty { _ = try await connection.status() }
        #expect(try daemon.residentBytes() - before < 4 << 20)
        let joined = try await world.answer("--json", "status")["sessions"]?.items
        let scopes = joined?.compactMap { $0["scopes"]?.items }.flatMap(\.self)
        #expect(scopes?.count == 2)
        try connection.close()
      }
    }

    /// Expects that no session has the connection's name any more.
    private func expectGone(_ world: World) async throws {
      let sessions = try #require(try await world.get("presence")["sessions"]?.items)
      #expect(!sessions.contains { $0["name"]?.text == Screen.name })
    }
  }
}

/// A list of todos and some of its rows, each a scope of one connection, and the findings of their
/// observers.
@MainActor
private final class Screen {
  static let name = "screen"

  /// The findings of observers of changes.
  final class Told {
    var count = 0
    /// Rows that differed from the list.
    var torn: [String] = []
    /// Revisions that arrived after a later one.
    var disorders: [String] = []
    var last: UInt64 = 0
  }

  let connection: StoreConnection
  let list: StoreOf<Todos>
  private(set) var rows: [StoreOf<Todo>] = []
  let told = Told()
  let events = Watched([ConnectionEvent.Kind]())
  private var subscriptions: [StoreSubscription] = []
  private var ids: [UUID] = []
  private var number = 0
  private var added: [String] = []
  private var titles: [UUID: String] = [:]

  /// Opens the list and `scopes - 1` rows.
  init(_ world: World, scopes: Int) async throws {
    connection = try StoreConnection(
      to: StoreLocation(directory: world.directory),
      name: Self.name,
    )
    list = try await connection.store("todos", Todos.self)
    connection.onEvent = { [events] event in events.update { $0.append(event.kind) } }
    ids = try await addRows(scopes - 1)
    for id in ids { rows.append(try await open(id)) }
    observe()
  }

  /// All of its stores.
  var stores: [any Ended] { [list] + rows }

  private func open(_ id: UUID) async throws -> StoreOf<Todo> {
    try await connection.store("todos/items/\(id)", Todo.self)
  }

  /// Adds rows to the list.
  func addRows(_ count: Int) async throws -> [UUID] {
    for row in 0..<count {
      try await list.send(.addButtonTapped(title: "row \(row)")).applied()
    }
    return list.items.ids.suffix(count).map(\.self)
  }

  private func observe() {
    subscriptions =
      [list.core.observeChanges { [unowned self] in look() }]
      + rows.map { $0.core.observeChanges { [unowned self] in self.look() } }
  }

  /// Compares all current states.
  private func look() {
    told.count += 1
    let revision = connection.client.revision
    if revision < told.last { told.disorders.append("\(revision) after \(told.last)") }
    told.last = revision
    for row in rows where StoreEnd(of: row) == nil {
      let (own, listed) = (row.withState { $0 }, list.items[id: row.withState(\.id)])
      if own != listed { told.torn.append("\(own) in a list with \(listed, default: "none")") }
    }
  }

  /// Sends an action to each row, and one to the list.
  func send() -> [StoreTask] {
    var tasks: [StoreTask] = []
    for row in rows {
      number += 1
      titles[row.withState(\.id)] = "title \(number)"
      tasks.append(row.send(.titleChanged(title: "title \(number)")))
    }
    return tasks + add(1).map(\.1)
  }

  /// Adds rows that are not opened, each with a numbered title.
  func add(_ count: Int) -> [(String, StoreTask)] {
    (0..<count).map { _ in
      number += 1
      let title = "add \(number)"
      added.append(title)
      return (title, list.send(.addButtonTapped(title: title)))
    }
  }

  /// Expects that all sent actions are shown once, in their order.
  func expectShown(_ when: Comment) {
    #expect(list.items.map(\.title).filter { $0.hasPrefix("add ") } == added, when)
    for row in rows {
      let id = row.withState(\.id)
      #expect(row.title == titles[id], when)
      #expect(list.items[id: id]?.title == titles[id], when)
    }
  }

  /// Drops the store of a row, and opens it again.
  func reopenLastRow() async throws {
    let row = rows.removeLast()
    let id = row.withState(\.id)
    subscriptions = []
    rows.append(try await open(id))
    observe()
  }

  /// Expects that the stores show the daemon's state.
  func expectSame(_ world: World) async throws {
    let todos = try await world.snapshot("todos")
    #expect(todos.digest == "\(Optional(list.withState { $0 })._$digest)")
    for row in rows {
      let state = row.withState { $0 }
      let snapshot = try await world.snapshot("todos/items/\(state.id)")
      #expect(snapshot.digest == "\(Optional(state)._$digest)")
    }
  }
}

/// A store of any type.
@MainActor
private protocol Ended {
  var storeEnd: StoreEnd? { get }
}

extension Store: Ended {
  var storeEnd: StoreEnd? { StoreEnd(of: self) }
}
