/// Finds a longest increasing subsequence: the twin of `HeaviestRun` for equal weights.
enum LongestIncreasingRun {
  /// The places of one of the longest increasing subsequences of different numbers.
  static func indices(of numbers: [Int]) -> Set<Int> {
    // ends[n]: the end of the best known run of n + 1 numbers, with the least last number.
    var ends: [Int] = []
    var previous: [Int] = []
    previous.reserveCapacity(numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      if let last = ends.last, numbers[last] < number { low = high }
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      previous.append(low > 0 ? ends[low - 1] : -1)
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: Set<Int> = []
    var index = ends.last ?? -1
    while index >= 0 {
      result.insert(index)
      index = previous[index]
    }
    return result
  }
}
