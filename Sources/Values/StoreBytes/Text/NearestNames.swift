/// Finds the known names that a misspelt name probably stands for.
package struct NearestNames: Sendable {
  /// The most names to suggest.
  private let limit: Int

  /// Creates a finder that suggests at most `limit` names.
  package init(limit: Int = 3) {
    self.limit = limit
  }

  /// The names nearest to a misspelt one, nearest first; empty if no name is near.
  ///
  /// A name is near in three cases: it differs only in case; at most a third of the longer one's
  /// characters are inserted, omitted, replaced or swapped with their neighbor; or one is the
  /// prefix or the suffix of the other.
  package func suggestions(for name: String, among candidates: some Sequence<String>) -> [String] {
    let wanted = Array(name.prefix(Self.longest).lowercased())
    let ranked = candidates.compactMap { candidate -> (rank: Int, name: String)? in
      guard let rank = rank(of: Array(candidate.prefix(Self.longest).lowercased()), for: wanted)
      else { return nil }
      return (rank, candidate)
    }
    .sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
    return ranked.prefix(limit).map(\.name)
  }

  /// The tail of a sentence, such as `; did you mean "a" or "b"?`, or all names if no name is near.
  package func remedy(for name: String, among candidates: [String]) -> String {
    let near = suggestions(for: name, among: candidates)
    if !near.isEmpty {
      return "; did you mean \(Self.list(near))?"
    }
    guard !candidates.isEmpty else { return "; there are none" }
    let shown = candidates.prefix(Self.mostListed)
    let more = candidates.count > shown.count ? " and \(candidates.count - shown.count) more" : ""
    return "; there \(candidates.count == 1 ? "is" : "are") "
      + shown.map { "\"\($0)\"" }.joined(separator: ", ") + more
  }

  // Foreign names may have any length, and the distance is quadratic in it.
  private static let longest = 64
  private static let mostListed = 8

  private static func list(_ names: [String]) -> String {
    let quoted = names.map { "\"\($0)\"" }
    guard quoted.count > 1, let last = quoted.last else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  private func rank(of candidate: [Character], for wanted: [Character]) -> Int? {
    let distance = Self.distance(candidate, wanted)
    if distance <= max(candidate.count, wanted.count) / 3 { return distance }
    let (short, long) =
      candidate.count < wanted.count ? (candidate, wanted) : (wanted, candidate)
    guard short.count >= 3 else { return nil }
    let isPart = long.starts(with: short) || long.reversed().starts(with: short.reversed())
    return isPart ? distance : nil
  }

  /// The number of insertions, deletions, replacements and swaps of neighbors between the two.
  private static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...second.count)
    for row in 0..<first.count {
      var current = [row + 1]
      for column in 0..<second.count {
        let replaced = previous[column] + (first[row] == second[column] ? 0 : 1)
        var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          best = min(best, beforePrevious[column - 1] + 1)
        }
        current.append(best)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[second.count]
  }
}
