import Foundation
import StoreState

/// A row of a list, as features use it.
struct Row: ReplicatedRecord, Identifiable, Hashable {
  var id = 0
  var title = ""
  var isCompleted = false

  static let layout = RecordLayout<Row>(
    "Row",
    [
      .field("id", \.id),
      .field("title", \.title),
      .field("isCompleted", \.isCompleted),
    ],
  )

  init() {}

  init(_ id: Int, _ title: String = "", isCompleted: Bool = false) {
    self.id = id
    self.title = title
    self.isCompleted = isCompleted
  }
}

/// A row whose ids can be equal in Swift and yet have different encodings.
struct NamedRow: ReplicatedRecord, Identifiable, Hashable {
  var id = ""
  var value = 0

  static let layout = RecordLayout<NamedRow>(
    "NamedRow",
    [.field("id", \.id), .field("value", \.value)],
  )

  init() {}

  init(_ id: String, _ value: Int) {
    self.id = id
    self.value = value
  }
}

/// A row with the most common kind of id.
struct UUIDRow: ReplicatedRecord, Identifiable, Hashable {
  var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  var title = "Milk"
  var isCompleted = false

  static let layout = RecordLayout<UUIDRow>(
    "UUIDRow",
    [
      .field("id", \.id),
      .field("title", \.title),
      .field("isCompleted", \.isCompleted),
    ],
  )
}

typealias Rows = IdentifiedArrayOf<Row>

extension IdentifiedArray where ID == Int, Element == Row {
  /// Rows with the given ids and default values.
  init(ids: some Sequence<Int>) {
    self.init(uniqueElements: ids.map { Row($0) })
  }
}

/// All orders of some elements.
func permutations<Element>(_ elements: [Element]) -> [[Element]] {
  guard let last = elements.last else { return [[]] }
  return permutations(elements.dropLast()).flatMap { shorter in
    (0...shorter.count).map { place in
      var order = shorter
      order.insert(last, at: place)
      return order
    }
  }
}
