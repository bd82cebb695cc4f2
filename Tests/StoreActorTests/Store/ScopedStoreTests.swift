import StoreActor
import Testing

@Suite("Stores of a store's parts", .timeLimit(.minutes(1)))
@MainActor
struct ScopedStoreTests {
  private func office(guest: Int? = nil, rows: [Int] = []) -> StoreOf<Office> {
    Store(
      initialState: Office.State(
        guest: guest.map { Worker.State(id: $0) },
        rows: IdentifiedArray(uniqueElements: rows.map { Worker.State(id: $0) }),
      )
    ) {
      Office()
    }
  }

  @Test("A child's store reads its part of the state and sends its actions to the root")
  func plain() {
    let store = office()
    let boss = store.scope(\.boss, action: \.boss)
    boss.send(.tick)
    #expect(boss.ticks == 1)
    #expect(store.boss.ticks == 1)
    store.send(.boss(.tick))
    #expect(boss.state.ticks == 2)
    #expect(boss.withState(\.ticks) == 2)
  }

  @Test("A repeated request for a child returns the same store, in either spelling")
  func cached() {
    let store = office(guest: 1, rows: [1, 2])
    #expect(store.scope(\.boss, action: \.boss) === store.scope(state: \.boss, action: \.boss))
    #expect(
      store.scope(\.guest, action: \.guest) === store.scope(state: \.guest, action: \.guest)
    )
    let row = store.scope(\.rows[id: 1], action: \.rows[id: 1])
    #expect(row != nil)
    #expect(row === store.scope(\.rows[id: 1], action: \.rows[id: 1]))
    #expect(row !== store.scope(\.rows[id: 2], action: \.rows[id: 2]))
  }

  @Test("A case key path in a variable is equivalent to a literal one")
  func caseKeyPath() {
    let store = office(guest: 1, rows: [2])
    let boss: CaseKeyPath<Office.Action, Worker.Action> = \.boss
    let guest: CaseKeyPath<Office.Action, Worker.Action> = \.guest
    let rows: CaseKeyPath<Office.Action, IdentifiedActionOf<Worker>> = \.rows
    store.scope(\.boss, action: boss).send(.tick)
    store.scope(\.guest, action: guest)?.send(.tick)
    store.scope(\.rows, action: rows).first?.send(.tick)
    #expect([store.boss.ticks, store.guest?.ticks, store.rows.first?.ticks] == [1, 1, 1])
    #expect(store.scope(\.boss, action: boss) === store.scope(\.boss, action: boss))
  }

  @Test("An absent child has no store; a removed child's store keeps the last state")
  func optional() {
    let store = office()
    #expect(store.scope(\.guest, action: \.guest) == nil)
    store.send(.guestCame(1))
    let first = store.scope(\.guest, action: \.guest)
    first?.send(.tick)
    #expect(first?.ticks == 1)
    store.send(.guestLeft)
    #expect(first?.ticks == 1)
    #expect(first.flatMap { StoreEnd(of: $0) } == .gone)
    #expect(store.scope(\.guest, action: \.guest) == nil)
  }

  @Test("A child that replaces another one has another store")
  func identity() {
    let store = office(guest: 1)
    let first = store.scope(\.guest, action: \.guest)
    store.send(.guestCame(2))
    let second = store.scope(\.guest, action: \.guest)
    #expect(first !== second)
    #expect(first?.id == 1)
    #expect(second?.id == 2)
  }

  @Test("A list's stores are those of its rows, by id, independent of a row's position")
  func rows() {
    let store = office(rows: [1, 2, 3])
    let rows = store.scope(\.rows, action: \.rows)
    #expect(rows.map(\.id) == [1, 2, 3])
    let last = rows.last
    last?.send(.tick)
    #expect(store.rows[id: 3]?.ticks == 1)
    var moved = store.rows
    moved.reverse()
    store.send(.rowsReplaced(moved))
    #expect(store.scope(state: \.rows, action: \.rows).first === last)
    #expect(last?.ticks == 1)
    store.send(.rowRemoved(3))
    #expect(last?.ticks == 1)
    #expect(store.scope(\.rows, action: \.rows).count == 2)
  }

  @Test("An action for a removed child does not reach its replacement")
  func gone() async {
    let store = office()
    store.send(.guestCame(1))
    let first = store.scope(\.guest, action: \.guest)
    store.send(.guestLeft)
    store.send(.guestCame(2))
    var task: StoreTask?
    withKnownIssue {
      task = first?.send(.tick)
    } matching: { issue in
      issue.description.contains("to a store of State after what it shows had gone")
    }
    #expect(store.guest?.ticks == 0)
    await #expect { try await task?.applied() } throws: {
      ($0 as? ActionFailure)?.code == .absent
    }
  }

  @Test("A row that is removed after the list was read still has a readable store")
  func goneRow() {
    let store = office(rows: [1, 2])
    let rows = store.scope(\.rows, action: \.rows)
    store.send(.rowRemoved(2))
    let row = rows.last
    #expect(row?.id == 2)
    #expect(row.flatMap { StoreEnd(of: $0) } == .gone)
  }

  @Test("A store keeps its root alive")
  func keepsRoot() {
    var store: StoreOf<Office>? = office()
    let boss = store?.scope(\.boss, action: \.boss)
    store = nil
    boss?.send(.tick)
    #expect(boss?.ticks == 1)
  }

  @Test("A scope of a scope of a scope reads and sends through to the root")
  func deep() {
    let store = Store(initialState: Office.State(guest: Worker.State(id: 1))) { Office() }
    let guest = store.scope(\.guest, action: \.guest)
    let ticks = guest?.scope(\.ticks, action: \.self)
    guest?.send(.tick)
    #expect(ticks?.state == 1)
    #expect(store.scope(\.boss, action: \.boss).scope(\.ticks, action: \.self).state == 0)
  }

  @Test("A row's store lives as long as it has a holder")
  func letGo() {
    let store = office(rows: [1])
    weak let row = store.scope(\.rows[id: 1], action: \.rows[id: 1])
    #expect(row == nil)
    let held = store.scope(\.rows[id: 1], action: \.rows[id: 1])
    weak let known = store.scope(\.rows[id: 1], action: \.rows[id: 1])
    withExtendedLifetime(held) { #expect(known === held) }
  }
}
