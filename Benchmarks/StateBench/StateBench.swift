import Foundation
import StoreState

/// Measures collections of state: ratios of two programs or sizes in one run.
///
///     StateBench                   all comparisons
///     StateBench small ROWS        small arrays against plain ones
///     StateBench turns ROWS COUNT  only a daemon's turns, to count instructions
///     StateBench memory KIND ROWS  memory of `plain` or `tree` rows, with 1,000 versions; of rows
///                                  without text: `bare-plain`, `bare-tree`
///     StateBench figures ROUNDS OPERATIONS ROWS
///                                  the figures for Benchmarks/run, in JSON
@main
struct StateBench {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.compactMap { Int($0) }
    switch (arguments.first, numbers.count) {
    case (nil, _): compareAll()
    case ("turns", 2): runTurns(numbers[0], numbers[1])
    case ("small", 1): compareSmall(rows: numbers[0])
    case ("memory", 1): printMemory(arguments.dropFirst().first ?? "", numbers[0])
    case ("figures", 3): printFigures(numbers[0], numbers[1], numbers[2])
    default: refuse()
    }
  }

  private static func refuse() -> Never {
    print(
      """
      usage: StateBench [small ROWS | turns ROWS COUNT | figures ROUNDS OPERATIONS ROWS
                         | memory plain|tree|bare-plain|bare-tree ROWS]
      """
    )
    exit(64)
  }

  static func printFigures(_ rounds: Int, _ operations: Int, _ rows: Int) {
    guard rounds > 0, operations > 0, rows > 0 else { refuse() }
    let figures = StateFigures(rounds: rounds, operations: operations, manyRows: rows)
    for line in figures.lines() { print(line) }
  }

  static func runTurns(_ rows: Int, _ count: Int) {
    var turn = DaemonTurn(rows: rows)
    turn.run(count)
    print(turn.bytes)
  }

  static func printMemory(_ what: String, _ count: Int) {
    let before = MemoryUse.resident()
    switch what {
    case "plain": use(plain(count, since: before) { BenchRow($0) })
    case "bare-plain": use(plain(count, since: before) { BareRow($0) })
    case "tree":
      use(tree(count, since: before, make: { BenchRow($0) }, change: { $0.isCompleted.toggle() }))
    case "bare-tree":
      use(tree(count, since: before, make: { BareRow($0) }, change: { $0.isCompleted.toggle() }))
    default: refuse()
    }
  }

  private static func plain<Row>(
    _ count: Int,
    since before: Int,
    make: (Int) -> Row,
  ) -> [Row] {
    var rows: [Row] = []
    rows.reserveCapacity(count)
    for number in 0..<count { rows.append(make(number)) }
    MemoryUse.print("built", since: before)
    return rows
  }

  private static func tree<Row: Identifiable>(
    _ count: Int,
    since before: Int,
    make: (Int) -> Row,
    change: (inout Row) -> Void,
  ) -> [IdentifiedArrayOf<Row>] {
    var rows = withoutActuallyEscaping(make) { make in
      IdentifiedArray(uniqueElements: (0..<count).lazy.map { make($0) })
    }
    MemoryUse.print("built", since: before)
    var versions = [rows]
    var random = BenchRandom(7)
    for _ in 0..<1_000 {
      change(&rows[Int(random.next() % UInt64(count))])
      versions.append(rows)
    }
    MemoryUse.print("with 1,000 versions", since: before)
    return versions
  }
}
