/// Rules for explanations and for unfinished work.
enum Reasons {
  /// The escapes from the compiler's checks that need their reason on the line above.
  static let escapes = ["@unchecked Sendable", "nonisolated(unsafe)"]

  static func checkEscapes(_ file: SourceFile) -> [Breach] {
    file.code.enumerated().flatMap { index, line in
      escapes.filter { line.contains($0) && !hasReason(file, above: index) }.map { escape in
        Breach(
          rule: "unexplained: \(escape)",
          path: file.path,
          line: index + 1,
          what: "`\(escape)` without its reason",
          remedy: "Name the state's guard in a comment on the line above.",
        )
      }
    }
  }

  /// The marks of unfinished work in comments.
  static let marks = ["TODO", "FIXME", "XXX", "HACK"]

  static func checkMarks(_ file: SourceFile) -> [Breach] {
    file.comments.enumerated().flatMap { index, line in
      marks.filter { !finds(of: $0, in: line).isEmpty }.map { mark in
        Breach(
          rule: "unfinished",
          path: file.path,
          line: index + 1,
          what: "a comment contains \(mark)",
          remedy: "Do it now, or describe the limitation in docs.",
        )
      }
    }
  }

  /// Whether a comment is directly above, or above the attributes and the first lines of the
  /// declaration.
  private static func hasReason(_ file: SourceFile, above index: Int) -> Bool {
    var above = index - 1
    while above >= 0 {
      if !file.comments[above].allSatisfy(\.isWhitespace) { return true }
      let code = file.code[above].trimmingSpaces
      let isAttribute = code.hasPrefix("@")
      let goesOn = [",", ":", "("].contains { code.hasSuffix($0) }
      guard isAttribute || goesOn else { return false }
      above -= 1
    }
    return false
  }
}

extension String {
  /// The text without the spaces around it.
  var trimmingSpaces: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
