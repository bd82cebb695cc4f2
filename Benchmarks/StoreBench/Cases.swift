import Observation
import StoreActor

/// A measured case: prepares its data, and returns the work of one operation.
struct BenchCase: Sendable {
  let name: String
  let prepare: @MainActor @Sendable () -> () -> Void

  static let all: [BenchCase] = sending + presenting + observing + reading + sharing
}

// MARK: - Sending

extension BenchCase {
  private static let sending: [BenchCase] = [
    BenchCase(name: "send-depth-0") { send(to: leaf()) },
    BenchCase(name: "send-unchanged") {
      let store = Store(initialState: Unchanged.State()) { Unchanged() }
      return { store.send(.accepted) }
    },
    BenchCase(name: "send-refused") {
      let store = Store(initialState: Unchanged.State()) { Unchanged() }
      return { store.send(.refused) }
    },
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
  ]

  /// Sends to a presented child, by the kind of its type.
  private static let presenting: [BenchCase] = [
    BenchCase(name: "send-to-presented-struct") {
      let store = Store(initialState: StructPresenting.State()) { StructPresenting() }
      return { store.send(.destination(.presented(.increment))) }
    },
    BenchCase(name: "send-to-presented-macro-enum") {
      let store = Store(initialState: MacroPresenting.State()) { MacroPresenting() }
      return { store.send(.destination(.presented(.counter(.increment)))) }
    },
    BenchCase(name: "send-to-presented-plain-enum") {
      let store = Store(initialState: PlainPresenting.State()) { PlainPresenting() }
      return { store.send(.destination(.presented(.increment))) }
    },
  ]

  /// Observed rows, from 0 to 1,000, by the way to obtain their stores and by the property that is
  /// read; with an action that concerns no row, and one that concerns the first.
  private static let observing: [BenchCase] = ObservedRows.allCases.flatMap { rows in
    [0, 1, 1000].flatMap { count in
      [
        BenchCase(name: "send-\(rows)-\(count)") {
          let store = Store(initialState: List.State(rows: 1000)) { List() }
          let watches = rows.watches(count, of: store)
          return { withExtendedLifetime(watches) { _ = store.send(.own) } }
        },
        BenchCase(name: "send-to-\(rows)-\(count)") {
          let store = Store(initialState: List.State(rows: 1000)) { List() }
          let watches = rows.watches(count, of: store)
          return {
            withExtendedLifetime(watches) {
              _ = store.send(.rows(.element(id: 0, action: .increment)))
            }
          }
        },
      ]
    }
  }

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
}

/// The ways to observe rows.
private enum ObservedRows: String, CaseIterable, CustomStringConvertible {
  case observed
  case keyPath = "observed-by-key-path"
  case computed = "observed-computed"

  var description: String { rawValue }

  @MainActor
  func watches(_ count: Int, of store: StoreOf<List>) -> [Watch] {
    let rows: [StoreOf<List.Row>] =
      switch self {
      case .observed, .computed: store.scope(\.rows, action: \.rows).prefix(count).map { $0 }
      case .keyPath:
        (0..<count).compactMap { store.scope(\.rows[id: $0], action: \.rows[id: $0]) }
      }
    return rows.map { row in
      switch self {
      case .observed, .keyPath: Watch { sink &+= row.count }
      case .computed: Watch { sink &+= row.isEven ? 1 : 0 }
      }
    }
  }
}

/// Observes a value repeatedly.
@MainActor
private final class Watch {
  private let read: @MainActor () -> Void

  init(_ read: @escaping @MainActor () -> Void) {
    self.read = read
    track()
  }

  private func track() {
    withObservationTracking(read) { [weak self] in
      MainActor.assumeIsolated { self?.track() }
    }
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
      let known = store.scope(state, action: action)
      return { withExtendedLifetime(known) { keep(store.scope(state, action: action)) } }
    },
    BenchCase(name: "scope-literal") {
      let store = Store(initialState: Level3.State()) { Level3() }
      let known = store.scope(\.child, action: \.child)
      return { withExtendedLifetime(known) { keep(store.scope(\.child, action: \.child)) } }
    },
    BenchCase(name: "scope-new") {
      let store = Store(initialState: Level3.State()) { Level3() }
      return { keep(store.scope(\.child, action: \.child)) }
    },
    BenchCase(name: "scope-rows-first") {
      let store = Store(initialState: List.State(rows: 1000)) { List() }
      let known = store.scope(\.rows, action: \.rows).first
      return { withExtendedLifetime(known) { keep(store.scope(\.rows, action: \.rows).first) } }
    },
  ]
}

/// Keeps reads from being optimized away.
@MainActor private var sink = 0

@inline(never)
@_optimize(none)
private func keep(_: AnyObject?) {}

// MARK: - Sharing

extension BenchCase {
  /// Sends in a process that shares values: states without any, and with one; a list of rows that
  /// each show it, with no change in the rows, with one, and with a change in all.
  private static let sharing: [BenchCase] = [
    BenchCase(name: "send-depth-3-shared-elsewhere") {
      let count = Shared(value: 0)
      count.withLock { $0 = 1 }
      let store = Store(initialState: Level3.State()) { Level3() }
      return send(to: level3(store))
    },
    BenchCase(name: "send-depth-3-sharing") {
      let store = Store(initialState: SharingLevel3.State()) { SharingLevel3() }
      let level1 = store.scope(\.child, action: \.child).scope(\.child, action: \.child)
      return send(to: level1.scope(\.child, action: \.child))
    },
    BenchCase(name: "send-shared") { sharing(.change, rows: 0) },
    BenchCase(name: "send-shared-other") { sharing(.own, rows: 0) },
    BenchCase(name: "send-shared-rows-1000-other") { sharing(.own, rows: 1000) },
    BenchCase(name: "send-shared-rows-1000-row") { sharing(.row, rows: 1000) },
    BenchCase(name: "send-shared-rows-1000") { sharing(.change, rows: 1000) },
  ]

  @MainActor
  private static func sharing(_ action: Sharing.Action, rows: Int) -> () -> Void {
    let store = Store(initialState: Sharing.State(rows: rows)) { Sharing() }
    return { store.send(action) }
  }
}
