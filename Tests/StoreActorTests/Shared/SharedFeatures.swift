import Dispatch
import StoreActor

/// A state with a shared counter and an unshared number.
@Reducer
struct Tally {
  @ObservableState
  struct State: Equatable {
    @Shared var count: Int
    var taps = 0
  }

  enum Action {
    case add(Int)
    case tap
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .add(let number):
        state.$count.withLock { $0 += number }
        return .none
      case .tap:
        state.taps += 1
        return .none
      }
    }
  }
}

/// A state with a shared value in every possible place.
@Reducer
struct Places {
  @ObservableState
  struct State: Equatable {
    @Shared var count: Int
    var child: Tally.State
    @Presents var sheet: Tally.State?
    var optional: Tally.State?
    var path = StackState<Tally.State>()
    var rows: IdentifiedArray<Int, Identified<Int, Tally.State>>
    var array: [Tally.State]
    var slice: ArraySlice<Tally.State>
    var set: Set<Member>
    var treeSet: PersistentSet<Member>
    @Shared var nested: Nested
    var dictionary: [String: Tally.State]
    var map: PersistentMap<String, Tally.State>
    @Boxed var boxed: Tally.State
    var page: Page
    var tree: Tree

    @MainActor
    init(_ count: Shared<Int>) {
      let tally = Tally.State(count: count)
      _count = count
      child = tally
      _sheet = PresentationState(wrappedValue: tally)
      optional = tally
      path.append(tally)
      rows = IdentifiedArray(uniqueElements: (0..<3).map { Identified(tally, id: $0) })
      array = [tally]
      slice = [tally]
      set = [Member(count: count)]
      treeSet = [Member(count: count)]
      _nested = Shared(value: Nested(count: count))
      dictionary = ["one": tally]
      map = ["one": tally]
      _boxed = Boxed(tally)
      page = .tally(tally, title: "first")
      tree = .branch(.leaf(tally), .leaf(tally))
    }

    /// The shown counts, place by place.
    var shown: [Int] {
      let paged = if case .tally(let tally, _) = page { [tally.count] } else { [Int]() }
      return [count, child.count, sheet?.count ?? -1, optional?.count ?? -1, path[0].count]
        + rows.map(\.value.count) + array.map(\.count) + slice.map(\.count)
        + set.map(\.count) + treeSet.map(\.count) + [nested.count]
        + dictionary.values.map(\.count)
        + map.map(\.value.count) + [boxed.count] + paged + tree.counts
    }
  }

  struct Member: Hashable {
    @Shared var count: Int
  }

  /// A value that is shared, and contains another shared value.
  struct Nested: Equatable {
    @Shared var count: Int
    var taps = 0
  }

  enum Page: Equatable {
    case empty
    case tally(Tally.State, title: String)
  }

  indirect enum Tree: Equatable {
    case leaf(Tally.State)
    case branch(Tree, Tree)

    var counts: [Int] {
      switch self {
      case .leaf(let tally): [tally.count]
      case .branch(let left, let right): left.counts + right.counts
      }
    }
  }

  enum Action {
    case child(Tally.Action)
    case replace(Shared<Int>)
    case tapNested
    case tick
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) { Tally() }
    Reduce { state, action in
      if case .replace(let count) = action { state.child = Tally.State(count: count) }
      if case .tapNested = action { state.$nested.withLock { $0.taps += 1 } }
      return .none
    }
  }
}

/// Runs a closure on another thread, and waits for it.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  let group = DispatchGroup()
  DispatchQueue(label: "another thread").async(group: group, execute: body)
  group.wait()
}

/// Runs the main actor's other tasks until a condition holds.
@MainActor
func turns(until condition: () -> Bool) async {
  for _ in 0..<10_000 where !condition() { await Task.yield() }
}

/// The writes of several writers to shared values.
///
/// Each writer has its own value, and all take the next number of one sequence, so that a state's
/// greatest number identifies the expected state.
final class History: Sendable {
  let counts: [Shared<Int>]
  private let writes = LockIsolated<[Int]>([])

  init(writers: Int) { counts = (0..<writers).map { _ in Shared(value: 0) } }

  /// Writes the next number.
  func write(_ writer: Int) {
    writes.withValue { [counts] writes in
      writes.append(writer)
      counts[writer].withLock { [number = writes.count] in $0 = number }
    }
  }

  /// The values after no write, after one write, and so on.
  var prefixes: [[Int]] {
    var prefixes = [counts.map { _ in 0 }]
    for (number, writer) in writes.value.enumerated() {
      var next = prefixes[number]
      next[writer] = number + 1
      prefixes.append(next)
    }
    return prefixes
  }
}
