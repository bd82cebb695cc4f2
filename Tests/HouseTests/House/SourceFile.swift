/// A file of the repository: its path from the root and its text, by lines.
struct SourceFile: Sendable {
  /// The path relative to the repository's root, with `/` between its parts.
  let path: String
  /// The target of the file; nil for pages, scripts and examples.
  let room: Room?
  /// The original lines of the file.
  let lines: [String]
  /// The lines with comments and the insides of string literals blanked (empty if not Swift).
  let code: [String]
  /// The lines with everything except comments blanked (empty if not Swift).
  let comments: [String]

  init(path: String, text: String, room: Room? = nil) {
    self.path = path
    self.room = room
    self.lines = SourceFile.lines(of: text)
    guard path.hasSuffix(".swift") else {
      self.code = []
      self.comments = []
      return
    }
    var blanker = Blanker(text)
    blanker.run()
    self.code = SourceFile.lines(of: String(decoding: blanker.code, as: UTF8.self))
    self.comments = SourceFile.lines(of: String(decoding: blanker.comments, as: UTF8.self))
  }

  /// Whether this is Swift.
  var isSwift: Bool { path.hasSuffix(".swift") }

  /// Whether this is a file of tests.
  var isTest: Bool { path.hasPrefix("Tests/") }

  /// Whether this is a file of the product.
  var isProduct: Bool { path.hasPrefix("Sources/") }

  /// The path from the target's folder on, beginning with the target's name.
  ///
  /// Rules name files by it: a target may move to another wing, and keeps its name.
  var place: String? {
    room.map { "\($0.name)\(path.dropFirst($0.folder.count))" }
  }

  /// The text's lines; a newline at the end does not open another one.
  static func lines(of text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
