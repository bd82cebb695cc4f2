import Observation
import StoreActor

/// One thing that is measured: makes what it needs, and returns the work of one operation.
struct BenchCase: Sendable {
  let name: String
  let prepare: @MainActor @Sendable () -> () -> Void

  static let all: [BenchCase] = sending + reading
}

// MARK: - Sending

extension BenchCase {
  private static let sending: [BenchCase] = [
    BenchCase(name: "send-depth-0") { send(to: leaf()) },
    BenchCase(name: "send-depth-3") {
      let store = Store(initialState: Level3.State()) { Level3() }
      return send(to: level3(store))
    },
    BenchCase(name: "send-depth-10") {
      let store = Store(initialState: Level10.State()) { Level10() }
      let level7 = store.scope(\.child, action: \.child).scope(\.child, action: \.child)
        .scope(\.child, action: \.child)
      let level3 = level7.scope(\.child, action: \.child).scope(\.child, action: \.child)
        .scope(\.child, action: \.child).scope(\.child, action: \.child)
      return send(to: Self.level3(level3))
    },
    BenchCase(name: "send-root-of-3") {
      let store = Store(initialState: Level3.State()) { Level3() }
      return { store.send(.child(.child(.child(.increment)))) }
    },
    BenchCase(name: "send-children-1") { list(live: 1) },
    BenchCase(name: "send-children-1000") { list(live: 1000) },
    BenchCase(name: "send-observed-1") { observedList(1) },
    BenchCase(name: "send-observed-1000") { observedList(1000) },
  ]

  @MainActor
  private static func leaf() -> StoreOf<Leaf> {
    Store(initialState: Leaf.State()) { Leaf() }
  }

  @MainActor
  private static func level3(_ store: StoreOf<Level3>) -> StoreOf<Leaf> {
    store.scope(\.child, action: \.child).scope(\.child, action: \.child)
      .scope(\.child, action: \.child)
  }

  @MainActor
  private static func send(to store: StoreOf<Leaf>) -> () -> Void {
    { store.send(.increment) }
  }

  /// A list of 1,000 rows, some of which have a store; its own action is sent.
  @MainActor
  private static func list(live count: Int) -> () -> Void {
    let store = Store(initialState: List.State(rows: 1000)) { List() }
    let rows = store.scope(\.rows, action: \.rows).prefix(count).map { $0 }
    return { withExtendedLifetime(rows) { _ = store.send(.own) } }
  }

  /// The same, with somebody waiting for each of the stores to change, which they do not.
  @MainActor
  private static func observedList(_ count: Int) -> () -> Void {
    let store = Store(initialState: List.State(rows: 1000)) { List() }
    let rows = store.scope(\.rows, action: \.rows).prefix(count).map { $0 }
    for row in rows {
      withObservationTracking {
        _ = row.count
      } onChange: {
      }
    }
    return { withExtendedLifetime(rows) { _ = store.send(.own) } }
  }
}

// MARK: - Reading

extension BenchCase {
  private static let reading: [BenchCase] = [
    BenchCase(name: "read-property") {
      let store = leaf()
      return { sink &+= store.count }
    },
    BenchCase(name: "read-property-tracked") {
      let store = leaf()
      return {
        withObservationTracking {
          sink &+= store.count
        } onChange: {
        }
      }
    },
    BenchCase(name: "track-nothing") {
      {
        withObservationTracking {
          sink &+= 1
        } onChange: {
        }
      }
    },
    BenchCase(name: "scope-known") {
      let store = Store(initialState: Level3.State()) { Level3() }
      let state = \Level3.State.child
      let action: CaseKeyPath<Level3.Action, Level2.Action> = \.child
      return { keep(store.scope(state, action: action)) }
    },
    BenchCase(name: "scope-literal") {
      let store = Store(initialState: Level3.State()) { Level3() }
      return { keep(store.scope(\.child, action: \.child)) }
    },
    BenchCase(name: "scope-rows-first") {
      let store = Store(initialState: List.State(rows: 1000)) { List() }
      return { keep(store.scope(\.rows, action: \.rows).first) }
    },
  ]
}

/// Keeps what is read from being optimized away.
@MainActor private var sink = 0

@inline(never)
@_optimize(none)
private func keep(_: AnyObject?) {}
