import Foundation

/// The commands that a page in Markdown shows.
enum ShownCommands {
  /// The first words of commands in blocks that are not marked as a shell's.
  private static let programs: Set<Substring> = [
    "apt-get", "brew", "cd", "git", "make", "pip", "python3", "queuectl", "queued", "storectl",
    "stored", "sudo", "swift", "systemctl",
  ]

  private static let shells: Set<String> = ["sh", "bash", "console", "shell"]

  /// Returns the commands of a page, in their order.
  ///
  /// In a block for a shell each line is a command, or, if lines begin with `$`, each of those. In
  /// an unmarked block, the lines that begin with `$` or with the name of a program are commands.
  static func find(in page: String) -> [String] { blocks(page).flatMap(commands) }

  private struct Block {
    /// The text after the fence; nil for an indented block.
    var language: String?
    var lines: [Substring] = []
  }

  private static func blocks(_ page: String) -> [Block] {
    var (blocks, fenced): ([Block], Block?) = ([], nil)
    var isIndented = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if let block = fenced { blocks.append(block) }
        fenced = fenced == nil ? Block(language: String(line.dropFirst(3))) : nil
        isIndented = false
      } else if fenced != nil {
        fenced?.lines.append(line)
      } else if line.hasPrefix("    ") {
        if !isIndented { blocks.append(Block(language: nil)) }
        blocks[blocks.count - 1].lines.append(line.trimmingPrefix(while: \.isWhitespace))
        isIndented = true
      } else if !line.isEmpty {
        isIndented = false
      }
    }
    return blocks
  }

  private static func commands(_ block: Block) -> [String] {
    let typed = block.lines.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
    if !typed.isEmpty { return typed }
    let language = block.language ?? ""
    guard !shells.contains(language) else {
      return block.lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map(String.init)
    }
    guard language.isEmpty else { return [] }
    return block.lines.filter { line in
      let words = line.split(separator: " ").drop { $0.wholeMatch(of: /[A-Z_]+=.*/) != nil }
      // A program's name in a diagram has no argument after it.
      return words.first.map(programs.contains) ?? false
        && words.dropFirst().first?.first?.isASCII ?? true
    }
    .map(String.init)
  }
}
