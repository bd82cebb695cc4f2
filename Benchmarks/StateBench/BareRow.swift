import Foundation
import StoreState

/// A row of 40 bytes without references: the relative overhead of a tree is greatest here.
struct BareRow: Identifiable, Hashable {
  var id: UUID
  var numbers: (Int, Int) = (0, 0)
  var isCompleted = false

  init(_ number: Int) {
    id = BenchRow(number).id
  }

  static func == (left: Self, right: Self) -> Bool {
    left.id == right.id && left.numbers == right.numbers && left.isCompleted == right.isCompleted
  }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
