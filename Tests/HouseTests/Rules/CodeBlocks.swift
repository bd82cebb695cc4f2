/// Code in articles and guides is compiled: it is part of an example or a test.
enum CodeBlocks {
  /// Blocks that are exempt, by one line of each: one is SwiftUI's, and one is the test that a
  /// command generates.
  private static let apart: Set = [
    "withAnimation(animation) { self(action) }", "@Suite struct Revisions1To7Tests {",
  ]

  /// Sources whose documentation comments are also checked.
  private static let documented = [
    "StoreActor/", "StoreDependencies/", "StoreTesting/TestStore",
  ]

  /// The pages whose blocks of Swift are checked.
  static func isChecked(_ page: SourceFile) -> Bool {
    if page.isSwift, let place = page.place { return documented.contains(where: place.hasPrefix) }
    return page.path == "README.md" || page.path.contains(".docc/")
      || page.path.hasPrefix("docs/guides/")
  }

  /// A block of Swift in a page: its parts between lines of `…`.
  struct Block: Equatable {
    var parts: [[String]]
    /// The line of its first line, counted from one.
    var line: Int
  }

  /// The blocks that no compiled file contains, in the articles of all catalogs and in guides.
  ///
  /// Indentation and empty lines are ignored. `…` may stand for omitted code, on its own line or
  /// within one; but the parts must occur in one file, in that order. A file may import more after
  /// the imports of a block, and may have another entry point.
  static func check(_ pages: [SourceFile], against compiled: [SourceFile]) -> [Breach] {
    let articles = pages.filter(isChecked)
    guard !articles.isEmpty else { return [] }
    let files = compiled.map(CompiledLines.init)
    return articles.flatMap { page in
      blocks(in: page).filter { block in
        block.parts.joined().allSatisfy { !apart.contains($0) }
          && !files.contains { $0.have(block) }
      }
      .map { block in
        Breach(
          rule: "code blocks",
          path: page.path,
          line: block.line,
          what: "no example and no test has this code",
          remedy: "Show lines of a file in Examples/ or Tests/; … leaves something out.",
        )
      }
    }
  }

  /// The compiled files that blocks may show.
  static func isShown(_ file: SourceFile) -> Bool {
    file.path.hasPrefix("Examples/") || file.isTest
  }

  static func blocks(in page: SourceFile) -> [Block] {
    var blocks: [Block] = []
    var open: Block?
    let isSource = page.path.hasSuffix(".swift")
    for (index, line) in page.lines.enumerated() {
      var text = line.trimmingSpaces
      if isSource {
        guard text.hasPrefix("///") else {
          open = nil
          continue
        }
        text = String(text.dropFirst(3)).trimmingSpaces
      }
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
}

/// The lines of a compiled file, without indentation and empty lines.
private struct CompiledLines {
  private let lines: [String]
  private let set: Set<String>

  init(_ file: SourceFile) {
    lines = file.lines.map(\.trimmingSpaces).filter { !$0.isEmpty }
    set = Set(lines)
  }

  /// Whether the file contains the parts of a block, in order.
  func have(_ block: CodeBlocks.Block) -> Bool {
    guard block.parts.joined().allSatisfy({ set.contains($0) || $0.contains("…") }) else {
      return false
    }
    var start = 0
    for part in block.parts {
      let places = start...max(start, lines.count - part.count)
      guard let place = places.first(where: { lines[$0...].starts(with: part, by: isShown) }) else {
        return false
      }
      start = place + part.count
    }
    return true
  }

  /// Whether a block's line shows the given one, with an omission at `…`.
  private func isShown(_ line: String, by shown: String) -> Bool {
    if line == shown { return true }
    let parts = shown.split(separator: "…", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, line.count >= shown.count - 1 else { return false }
    return line.hasPrefix(parts[0]) && line.hasSuffix(parts[1])
  }
}
