/// Formats a count with its noun.
enum Counted {
  /// Returns a text such as `1 action` or `2 actions`.
  static func text(_ count: some BinaryInteger, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}
