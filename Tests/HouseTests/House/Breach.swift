/// One place where a house rule is broken: what was found, where, and what to do about it.
struct Breach: Hashable, CustomStringConvertible {
  /// The rule's short name.
  var rule: String
  /// The file, relative to the repository's root.
  var path: String
  /// The line, counted from one.
  var line: Int
  /// What was found, with its numbers.
  var what: String
  /// What to do instead.
  var remedy: String

  var description: String {
    "\(path):\(line): \(what). \(remedy)"
  }
}
