import StoreState

extension GenericValue {
  /// Where two values differ, and what stands there.
  struct Difference {
    /// The place, such as `$.items[3].title`.
    var path: String
    var ours: String
    var theirs: String
  }

  /// The first place at which another value differs; nil when it is the same.
  ///
  /// O(n) in the size of both.
  func firstDifference(from other: Self) -> Difference? { difference(from: other, at: "$") }

  private func difference(from other: Self, at path: String) -> Difference? {
    if self == other { return nil }
    switch (self, other) {
    case (.array(let ours), .array(let theirs)) where ours.count == theirs.count:
      for (index, pair) in zip(ours, theirs).enumerated() where pair.0 != pair.1 {
        return pair.0.difference(from: pair.1, at: "\(path)[\(index)]")
      }
      return nil
    case (.map(let ours), .map(let theirs))
    where ours.elementsEqual(theirs, by: { $0.key == $1.key }):
      for (mine, yours) in zip(ours, theirs) where mine.value != yours.value {
        return mine.value.difference(from: yours.value, at: "\(path).\(mine.key.pathElement)")
      }
      return nil
    default: return Difference(path: path, ours: excerpt, theirs: other.excerpt)
    }
  }

  private var pathElement: String {
    if case .text(let text) = self { text } else { description }
  }

  /// The value for people, no longer than a line.
  private var excerpt: String {
    let text = description
    return text.count > 60 ? "\(text.prefix(60))…" : text
  }
}
