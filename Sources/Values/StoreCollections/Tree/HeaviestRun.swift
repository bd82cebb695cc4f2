/// Finds a heaviest increasing subsequence.
enum HeaviestRun {
  /// The places of a heaviest increasing subsequence of different numbers.
  ///
  /// Among equally heavy ones, it is the one whose last number is least, then whose last but one is
  /// least, and so on.
  ///
  /// - Parameter items: The numbers and their weights.
  /// - Returns: Places in `items`, ascending.
  static func places(in items: [(number: Int, weight: Int)]) -> [Int] {
    let ranks = ranks(items)
    // A Fenwick tree: the end of the heaviest run within a range of ranks.
    var best = [Int](repeating: -1, count: items.count + 1)
    var weights = [Int](repeating: 0, count: items.count)
    var previous = [Int](repeating: -1, count: items.count)
    var end = -1
    /// The place at which the heavier run ends; for equal weights the one with the lesser number.
    /// -1 stands for no place.
    func better(_ one: Int, _ other: Int) -> Int {
      guard one >= 0, other >= 0 else { return max(one, other) }
      guard weights[one] == weights[other] else {
        return weights[one] > weights[other] ? one : other
      }
      return items[one].number < items[other].number ? one : other
    }
    for place in items.indices {
      var rank = ranks[place] - 1
      while rank > 0 {
        previous[place] = better(best[rank], previous[place])
        rank -= rank & -rank
      }
      let before = previous[place] >= 0 ? weights[previous[place]] : 0
      weights[place] = before + items[place].weight
      end = better(place, end)
      rank = ranks[place]
      while rank <= items.count {
        best[rank] = better(place, best[rank])
        rank += rank & -rank
      }
    }
    var places: [Int] = []
    while end >= 0 {
      places.append(end)
      end = previous[end]
    }
    return places.reversed()
  }

  /// Each number's rank among all numbers, from 1 on.
  private static func ranks(_ items: [(number: Int, weight: Int)]) -> [Int] {
    var ranks = [Int](repeating: 0, count: items.count)
    let order = items.indices.sorted { items[$0].number < items[$1].number }
    for (rank, place) in order.enumerated() { ranks[place] = rank + 1 }
    return ranks
  }
}
