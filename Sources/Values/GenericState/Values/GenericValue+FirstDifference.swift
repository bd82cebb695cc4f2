import StoreState

extension GenericValue {
  /// The place at which two values differ, and the parts at that place.
  package struct Difference {
    /// The place, such as `$.items[3].title`.
    package var path: String
    package var ours: String
    package var theirs: String
  }

  /// The first place at which another value differs; nil if both are equal.
  ///
  /// O(n) in the size of both.
  package func firstDifference(from other: Self) -> Difference? {
    self == other ? nil : Self.difference(self, other, at: "$")
  }

  /// The first place at which two different values differ; one of them may be missing.
  private static func difference(_ ours: Self?, _ theirs: Self?, at path: String) -> Difference {
    switch (ours, theirs) {
    case (.array(let ours)?, .array(let theirs)?):
      let index = zip(ours, theirs).prefix { $0 == $1 }.count
      let (ours, theirs) = (ours.dropFirst(index).first, theirs.dropFirst(index).first)
      return difference(ours, theirs, at: "\(path)[\(index)]")
    case (.map(let ours)?, .map(let theirs)?):
      let (mine, yours) = (values(of: ours), values(of: theirs))
      guard let key = (ours + theirs).first(where: { mine[$0.key] != yours[$0.key] })?.key else {
        // Only the order differs.
        return Difference(path: path, ours: "\(ours.count) entries", theirs: "in another order")
      }
      return difference(mine[key], yours[key], at: "\(path).\(key.pathElement)")
    case (.set(let ours)?, .set(let theirs)?):
      let (mine, yours) = (Set(ours), Set(theirs))
      let missing = (ours.first { !yours.contains($0) }, theirs.first { !mine.contains($0) })
      return texts(missing.0, missing.1, at: path)
    default: return texts(ours, theirs, at: path)
    }
  }

  private static func values(of entries: [Entry]) -> [Self: Self] {
    Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
  }

  private static func texts(_ ours: Self?, _ theirs: Self?, at path: String) -> Difference {
    let (mine, yours) = (ours?.description ?? "nothing", theirs?.description ?? "nothing")
    let same = zip(mine.unicodeScalars, yours.unicodeScalars).prefix { $0 == $1 }.count
    return Difference(path: path, ours: mine.excerpt(at: same), theirs: yours.excerpt(at: same))
  }

  private var pathElement: String {
    if case .text(let text) = self { text } else { description }
  }
}

extension String {
  /// A part of the text around a place, at most 60 characters long.
  fileprivate func excerpt(at place: Int) -> String {
    let (length, before) = (60, 20)
    let scalars = unicodeScalars
    let skipped = scalars.count > length ? max(0, place - before) : 0
    let rest = scalars.dropFirst(skipped)
    return (skipped > 0 ? "…" : "") + String(rest.prefix(length)) + (rest.count > length ? "…" : "")
  }
}
