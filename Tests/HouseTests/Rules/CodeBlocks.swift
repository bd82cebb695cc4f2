/// Code in articles and guides is compiled: it is part of an example or a test.
enum CodeBlocks {
  /// Blocks that stand for themselves, by a line of each: one is SwiftUI's, and one is the test
  /// that a command writes.
  private static let apart: Set = [
    "withAnimation(animation) { self(action) }", "@Suite struct Revisions1To7Tests {",
  ]

  /// The pages whose blocks of Swift are checked.
  static func isChecked(_ page: SourceFile) -> Bool {
    page.path == "README.md" || page.path.contains(".docc/")
      || page.path.hasPrefix("docs/guides/")
  }

  /// A block of Swift in a page: its parts between lines of `…`.
  struct Block: Equatable {
    var parts: [[String]]
    /// The line of its first line, counted from one.
    var line: Int
  }

  /// The blocks that no compiled file has, of the articles of all catalogues and of guides.
  ///
  /// Indentation and empty lines do not count. What a line of `…` leaves out may be anything, but
  /// the parts stand in one file, in that order. Behind its imports a file may import more, and its
  /// entry point, if it is a test, is another.
  static func check(_ pages: [SourceFile], against compiled: [SourceFile]) -> [Breach] {
    let articles = pages.filter(isChecked)
    guard !articles.isEmpty else { return [] }
    let files = compiled.map { $0.lines.map(\.trimmingSpaces).filter { !$0.isEmpty } }
    return articles.flatMap { page in
      blocks(in: page).filter { block in
        block.parts.joined().allSatisfy { !apart.contains($0) }
          && !files.contains { has($0, block.parts) }
      }
      .map { block in
        Breach(
          rule: "code blocks",
          path: page.path,
          line: block.line,
          what: "no example and no test has this code",
          remedy: "Show lines of a file in Examples/ or Tests/; … alone on a line leaves some out.",
        )
      }
    }
  }

  /// The files that are compiled, and shown.
  static func isShown(_ file: SourceFile) -> Bool {
    file.path.hasPrefix("Examples/") || file.isTest
  }

  static func blocks(in page: SourceFile) -> [Block] {
    var blocks: [Block] = []
    var open: Block?
    for (index, line) in page.lines.enumerated() {
      let text = line.trimmingSpaces
      if var block = open {
        if text == "```" {
          block.parts.removeAll(where: \.isEmpty)
          blocks.append(block)
          open = nil
        } else if text == "…" {
          open?.parts.append([])
        } else if text.hasPrefix("import ") {
          open?.parts += [[text], []]
        } else if !text.isEmpty, text != "@main" {
          open?.parts[block.parts.count - 1].append(text)
        }
      } else if text == "```swift" {
        open = Block(parts: [[]], line: index + 2)
      }
    }
    return blocks
  }

  /// Whether a file has the parts one after the other.
  private static func has(_ lines: [String], _ parts: [[String]]) -> Bool {
    var start = 0
    for part in parts {
      let places = start...max(start, lines.count - part.count)
      guard let place = places.first(where: { lines[$0...].starts(with: part) }) else {
        return false
      }
      start = place + part.count
    }
    return true
  }
}
