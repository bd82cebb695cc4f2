import Foundation
import StoreState

/// The most frequent uses of an array, compared with a plain array and a dictionary.
enum StateCase: String, CaseIterable {
  case build
  case read = "read by id"
  case change = "change in place"
  case iterate = "go over"

  /// Returns both sides of a comparison; each performs the operations on the rows, in whole rounds.
  func prepare(
    _ elements: [BenchRow],
    operations: Int,
  ) -> (ours: () -> Void, plain: () -> Void) {
    let rounds = max(1, operations / elements.count)
    let (tree, plain) = (IdentifiedArray(uniqueElements: elements), PlainRows(elements))
    return switch self {
    case .build:
      (
        { for _ in 0..<rounds { use(IdentifiedArray(uniqueElements: elements)) } },
        { for _ in 0..<rounds { use(PlainRows(elements)) } },
      )
    case .read: ({ tree.readAll(elements, rounds) }, { plain.readAll(elements, rounds) })
    case .change: Self.changes(elements, rounds)
    case .iterate:
      (
        { for _ in 0..<rounds { use(tree.sizeOfTitles()) } },
        { for _ in 0..<rounds { use(plain.rows.sizeOfTitles()) } },
      )
    }
  }

  private static func changes(
    _ elements: [BenchRow],
    _ rounds: Int,
  ) -> (ours: () -> Void, plain: () -> Void) {
    var (tree, plain) = (IdentifiedArray(uniqueElements: elements), PlainRows(elements))
    return ({ tree.changeAll(elements, rounds) }, { plain.changeAll(elements, rounds) })
  }
}

// Each side is written for its concrete type, as in a feature: generic code for both would measure
// its specialization.
extension IdentifiedArray where Element == BenchRow, ID == UUID {
  @inline(never)
  fileprivate func readAll(_ elements: [BenchRow], _ rounds: Int) {
    for _ in 0..<rounds { for element in elements { use(self[id: element.id]) } }
  }

  @inline(never)
  fileprivate mutating func changeAll(_ elements: [BenchRow], _ rounds: Int) {
    for _ in 0..<rounds { for element in elements { self[id: element.id]?.isCompleted.toggle() } }
  }

  @inline(never)
  fileprivate func sizeOfTitles() -> Int {
    var sum = 0
    for row in self where !row.isCompleted { sum += row.title.utf8.count }
    return sum
  }
}

extension PlainRows {
  @inline(never)
  fileprivate func readAll(_ elements: [BenchRow], _ rounds: Int) {
    for _ in 0..<rounds { for element in elements { use(self[id: element.id]) } }
  }

  @inline(never)
  fileprivate mutating func changeAll(_ elements: [BenchRow], _ rounds: Int) {
    for _ in 0..<rounds { for element in elements { self[id: element.id]?.isCompleted.toggle() } }
  }
}

extension [BenchRow] {
  @inline(never)
  fileprivate func sizeOfTitles() -> Int {
    var sum = 0
    for row in self where !row.isCompleted { sum += row.title.utf8.count }
    return sum
  }
}
