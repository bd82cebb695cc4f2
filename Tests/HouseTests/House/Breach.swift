/// A breach of a house rule: the fault, its place and the remedy.
struct Breach: Hashable, CustomStringConvertible {
  /// The rule's short name.
  var rule: String
  /// The file, relative to the repository's root.
  var path: String
  /// The line, counted from one.
  var line: Int
  /// The fault, with its numbers.
  var what: String
  /// The remedy.
  var remedy: String

  var description: String {
    "\(path):\(line): \(what). \(remedy)"
  }
}
