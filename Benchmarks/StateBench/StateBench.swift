import Foundation
import StoreState

/// Measures collections of state: ratios of two programs or sizes in one run.
///
///     StateBench                   all comparisons
///     StateBench small ROWS        small arrays against plain ones
///     StateBench turns ROWS COUNT  a daemon's turns and nothing else, to count instructions
///     StateBench memory WHAT ROWS  memory of `plain` or `tree` rows, with 1,000 versions
@main
struct StateBench {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.compactMap { Int($0) }
    switch (arguments.first, numbers.count) {
    case (nil, _): compareAll()
    case ("turns", 2): runTurns(numbers[0], numbers[1])
    case ("small", 1): compareSmall(rows: numbers[0])
    case ("memory", 1): printMemory(isTree: arguments.contains("tree"), numbers[0])
    default:
      print("usage: StateBench [small ROWS | turns ROWS COUNT | memory plain|tree ROWS]")
      exit(64)
    }
  }

  static func runTurns(_ rows: Int, _ count: Int) {
    var turn = DaemonTurn(rows: rows)
    turn.run(count)
    print(turn.bytes)
  }

  static func printMemory(isTree: Bool, _ count: Int) {
    let before = MemoryUse.resident()
    if isTree {
      var rows = IdentifiedArray(uniqueElements: (0..<count).lazy.map { BenchRow($0) })
      use(rows.digest)
      MemoryUse.print("built", since: before)
      var versions = [rows]
      var random = BenchRandom(7)
      for _ in 0..<1_000 {
        let id = BenchRow(Int(random.next() % UInt64(count))).id
        rows[id: id]?.isCompleted.toggle()
        use(rows.digest)
        versions.append(rows)
      }
      MemoryUse.print("with 1,000 versions", since: before)
      use(versions)
    } else {
      var rows: [BenchRow] = []
      rows.reserveCapacity(count)
      for number in 0..<count { rows.append(BenchRow(number)) }
      MemoryUse.print("built", since: before)
      use(rows)
    }
  }
}
