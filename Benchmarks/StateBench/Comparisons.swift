import Foundation
import StoreState

extension StateBench {
  static func compareAll() {
    compareTurns()
    compareLarge(rows: 100_000)
    for count in [3, 10, 30, 60] { compareSmall(rows: count) }
  }

  /// A daemon's turn in 1,000,000 rows against one in 1,000.
  static func compareTurns() {
    var large = DaemonTurn(rows: 1_000_000)
    var small = DaemonTurn(rows: 1_000)
    large.run(2_000)
    small.run(2_000)
    Comparison(name: "one row changed: 1,000,000 rows against 1,000", repetitions: 15).print(
      goal: 3,
      count: 2_000,
    ) {
      large.run(2_000)
    } against: {
      small.run(2_000)
    }
  }

  static func compareLarge(rows count: Int) {
    let elements = BenchRow.rows(count)
    let plain = PlainRows(elements)
    let tree = IdentifiedArray(uniqueElements: elements)
    for what in [StateCase.build, .iterate] {
      let run = what.prepare(elements, operations: count)
      Comparison(name: "\(what.rawValue) \(count) rows", repetitions: 15)
        .print(goal: 1.5, count: count, run.ours, against: run.plain)
    }
    Comparison(name: "find each of \(count) rows", repetitions: 7).print(goal: nil, count: count) {
      for element in elements { use(tree.index(id: element.id)) }
    } against: {
      for element in elements { use(plain.places[element.id]) }
    }
  }

  /// Small arrays against a plain array with a dictionary.
  static func compareSmall(rows count: Int) {
    let elements = BenchRow.rows(count)
    let rounds = 20_000 / count
    for what in StateCase.allCases {
      let run = what.prepare(elements, operations: rounds * count)
      comparison(what.rawValue, of: elements)
        .print(goal: 1.5, count: rounds * count, run.ours, against: run.plain)
    }
    comparison("append one by one", of: elements).print(goal: 1.5, count: rounds) {
      for _ in 0..<rounds {
        var rows: IdentifiedArrayOf<BenchRow> = []
        for element in elements { rows.append(element) }
        use(rows)
      }
    } against: {
      for _ in 0..<rounds {
        var rows = PlainRows([])
        for element in elements { rows.append(element) }
        use(rows)
      }
    }
    compareChanges(of: elements, rounds)
  }

  private static func comparison(_ what: String, of elements: [BenchRow]) -> Comparison {
    Comparison(name: "\(elements.count) rows: \(what)", repetitions: 15)
  }

  private static func compareChanges(of elements: [BenchRow], _ rounds: Int) {
    let count = rounds * elements.count
    var plain = PlainRows(elements)
    var tree = IdentifiedArray(uniqueElements: elements)
    comparison("change, and keep the old", of: elements).print(goal: 1.5, count: count) {
      for _ in 0..<rounds {
        for element in elements {
          let old = tree
          tree[id: element.id]?.isCompleted.toggle()
          use(old)
        }
      }
    } against: {
      for _ in 0..<rounds {
        for element in elements {
          let old = plain
          plain[id: element.id]?.isCompleted.toggle()
          use(old)
        }
      }
    }
    comparison("remove and append", of: elements).print(goal: 1.5, count: count) {
      for _ in 0..<rounds {
        for element in elements {
          tree.remove(id: element.id)
          tree.append(element)
        }
      }
    } against: {
      for _ in 0..<rounds {
        for element in elements {
          plain.remove(id: element.id)
          plain.append(element)
        }
      }
    }
  }
}
