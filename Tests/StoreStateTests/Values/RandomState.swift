@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Types with random values, similar enough that changes are often small.
protocol RandomState: ReplicatedState {
  static func random(_ random: inout SeededRandom) -> Self
}

extension RandomState {
  /// Another value, or sometimes the same.
  mutating func mutate(_ random: inout SeededRandom) { self = Self.random(&random) }
}

extension Bool: RandomState {
  static func random(_ random: inout SeededRandom) -> Bool { random.chance(2) }
}

extension Int: RandomState {
  static func random(_ random: inout SeededRandom) -> Int {
    random.pick([0, 1, 2, 23, 24, -1, -300, 70_000, .max, .min])
  }
}

extension Double: RandomState {
  static func random(_ random: inout SeededRandom) -> Double {
    random.pick([0, -0.0, 1, 1.5, 1.1, .nan, -.nan, .infinity, 1e300, .leastNonzeroMagnitude])
  }
}

extension String: RandomState {
  static func random(_ random: inout SeededRandom) -> String {
    random.pick(["", "a", "b", "é", "e\u{301}", "longer than fifteen bytes", "𝄞"])
  }
}

extension Optional: RandomState where Wrapped: RandomState {
  static func random(_ random: inout SeededRandom) -> Wrapped? {
    random.chance(3) ? nil : Wrapped.random(&random)
  }
}

extension Array: RandomState where Element: RandomState {
  static func random(_ random: inout SeededRandom) -> [Element] {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in Element.random(&random) }
  }
}

extension Set: RandomState where Element: RandomState {
  static func random(_ random: inout SeededRandom) -> Set<Element> {
    Set([Element].random(&random))
  }
}

extension Dictionary: RandomState where Key: RandomState, Value: RandomState {
  static func random(_ random: inout SeededRandom) -> [Key: Value] {
    var result: [Key: Value] = [:]
    for key in [Key].random(&random) { result[key] = Value.random(&random) }
    return result
  }
}

extension Todo: RandomState {
  static func random(_ random: inout SeededRandom) -> Todo {
    var todo = Todo()
    todo.title = .random(&random)
    todo.id = random.pick([1, 2, 3])
    todo.isCompleted = .random(&random)
    if random.chance(3) { todo.tags = .random(&random) }
    if random.chance(3) { todo.note = .random(&random) }
    return todo
  }
}

extension Destination: RandomState {
  static func random(_ random: inout SeededRandom) -> Destination {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .nowhere
    case 1: .home
    case 2: .edit(.random(&random))
    case 3: .move(from: random.pick([1, 2]), to: random.pick([1, 2]))
    default: .pick(isFirst: .random(&random), at: random.pick([1, 2]), _tags: .random(&random))
    }
  }
}

extension Tree: RandomState {
  static func random(_ random: inout SeededRandom) -> Tree {
    var tree = Tree()
    tree.value = random.pick([1, 2])
    if random.chance(2) {
      tree.children = (0..<Int.random(in: 0...2, using: &random)).map { _ in .random(&random) }
    }
    return tree
  }
}

extension Filter: RandomState {
  static func random(_ random: inout SeededRandom) -> Filter { random.pick(allCases) }
}

extension RowID: RandomState {
  static func random(_ random: inout SeededRandom) -> RowID {
    RowID(rawValue: random.pick([0, 1, 255, 256, .max]))
  }
}

extension AppState: RandomState {
  static func random(_ random: inout SeededRandom) -> AppState {
    var state = AppState()
    state.todos = .random(&random)
    state.destination = .random(&random)
    state.last = .random(&random)
    state.byName = .random(&random)
    state.selection = .random(&random)
    state.filter = .random(&random)
    state.tree = .random(&random)
    return state
  }

  mutating func mutate(_ random: inout SeededRandom) {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: todos = .random(&random)
    case 1: destination = .random(&random)
    case 2: last = .random(&random)
    case 3: byName = .random(&random)
    case 4: selection = .random(&random)
    case 5: filter = .random(&random)
    case 6: tree = .random(&random)
    default: if !todos.isEmpty { todos[0].isCompleted.toggle() }
    }
  }
}
