import StoreState

extension PublishedMessage {
  /// What one revision changed in the scopes of a view.
  ///
  /// Nearly always that is one scope: then there is no array, which would have to be allocated for
  /// each revision.
  package struct Changes: Hashable, Sendable, RandomAccessCollection, ExpressibleByArrayLiteral {
    private var only: Change?
    private var many: [Change] = []

    package init(arrayLiteral changes: Change...) { for change in changes { append(change) } }

    package mutating func append(_ change: Change) {
      if many.isEmpty {
        guard let only else {
          only = change
          return
        }
        many = [only, change]
        self.only = nil
      } else {
        many.append(change)
      }
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { only == nil ? many.count : 1 }

    package subscript(index: Int) -> Change {
      if let only {
        precondition(index == 0, "There is 1 change, not \(index + 1)")
        return only
      }
      return many[index]
    }
  }
}
