/// Limits of phrases that readers of this repository had to read twice (`docs/STYLE.md`).
///
/// Prose is: comments, sentences in string literals, and pages without their code. The limits are a
/// measure to steer by; they do not make a sentence clear.
enum Language {
  /// A kind of phrase, with the greatest number for each thousand lines of prose.
  enum Kind: String, CaseIterable {
    /// Phrases with a meaning of their own.
    case idioms
    /// Pronouns in the place of a noun that exists.
    case riddles
    /// Negative nouns.
    case absences
    /// Verbs of motion and speech for things that do neither.
    case wanderers

    var limit: Int {
      switch self {
      case .idioms: 3
      case .riddles: 20
      case .absences: 10
      case .wanderers: 5
      }
    }
  }

  /// The page that shows phrases beside their plain forms.
  static let examples = "docs/STYLE.md"

  /// The number of prose lines from which a folder has limits of its own: twice those of all.
  static let leastLines = 100

  /// The counts of some prose.
  struct Counts {
    var lines = 0
    var phrases: [Kind: Int] = [:]

    mutating func add(_ text: String) {
      lines += (text.count + 99) / 100
      for (kind, count) in Language.count(in: text) { phrases[kind, default: 0] += count }
    }

    mutating func add(_ other: Self) {
      lines += other.lines
      phrases.merge(other.phrases, uniquingKeysWith: +)
    }

    /// The kinds that exceed a multiple of their limits, with their numbers for a thousand lines.
    func excess(_ multiple: Int) -> [(kind: Kind, rate: Int)] {
      Kind.allCases.compactMap { kind in
        let rate = 1000 * (phrases[kind] ?? 0) / max(1, lines)
        return rate > multiple * kind.limit ? (kind, rate) : nil
      }
    }
  }

  static func check(_ files: [SourceFile]) -> [Breach] {
    var (all, folders) = (Counts(), [String: Counts]())
    for file in files where file.path != examples {
      var counts = Counts()
      for text in prose(of: file) { counts.add(text) }
      all.add(counts)
      let folder = file.path.split(separator: "/").dropLast().prefix(2).joined(separator: "/")
      folders[folder, default: Counts()].add(counts)
    }
    let parts = folders.filter { $0.value.lines >= leastLines }.sorted { $0.key < $1.key }
    return all.excess(1).map { breach("", $0.kind, $0.rate, $0.kind.limit) }
      + parts.flatMap { folder, counts in
        counts.excess(2).map { breach(folder, $0.kind, $0.rate, 2 * $0.kind.limit) }
      } + files.filter(\.isProduct).flatMap(checkWords)
  }

  private static func breach(_ folder: String, _ kind: Kind, _ rate: Int, _ limit: Int) -> Breach {
    Breach(
      rule: "language",
      path: folder.isEmpty ? examples : folder,
      line: 1,
      what: "\(rate) \(kind.rawValue) in a thousand lines of prose, \(limit) are allowed",
      remedy: "Rewrite them by the pairs of docs/STYLE.md.",
    )
  }

  /// Documentation comments of one word.
  static func checkWords(_ file: SourceFile) -> [Breach] {
    file.lines.enumerated().compactMap { index, line in
      let words = line.split(separator: " ")
      guard words.count == 2, words[0] == "///", words[1].hasSuffix("."),
        words[1].dropLast().allSatisfy({ $0.isLetter || $0.isNumber })
      else { return nil }
      return Breach(
        rule: "one-word",
        path: file.path,
        line: index + 1,
        what: "a documentation comment of one word",
        remedy: "State the contract in a sentence.",
      )
    }
  }

  // MARK: Prose

  static func prose(of file: SourceFile) -> [String] {
    file.isSwift ? comments(of: file) + sentences(of: file) : paragraphs(of: file)
  }

  private static func comments(of file: SourceFile) -> [String] {
    file.comments.map(withoutCode).filter { $0.contains(where: \.isLetter) }
  }

  /// The string literals of at least three words, by lines.
  private static func sentences(of file: SourceFile) -> [String] {
    zip(file.lines, zip(file.code, file.comments)).flatMap { line, blanked -> [String] in
      let (line, code, comment) = (Array(line.utf8), Array(blanked.0.utf8), Array(blanked.1.utf8))
      guard line != code, line.count == code.count, line.count == comment.count else { return [] }
      let (space, quote) = (UInt8(ascii: " "), UInt8(ascii: "\""))
      let text = line.indices.map { index in
        if code[index] == quote { return UInt8(ascii: "\n") }
        return code[index] == space && comment[index] == space ? line[index] : space
      }
      return String(decoding: text, as: UTF8.self).split(separator: "\n")
        .map { String($0).trimmingSpaces }
        .filter { words(of: $0).count >= 3 }
    }
  }

  private static func paragraphs(of page: SourceFile) -> [String] {
    guard page.path.hasSuffix(".md") else { return [] }
    var isCode = false
    return page.lines.compactMap { line in
      if line.trimmingSpaces.hasPrefix("```") { isCode.toggle() }
      let isProse = !isCode && !line.hasPrefix("    ") && !line.trimmingSpaces.isEmpty
      let text = isProse ? withoutCode(line) : ""
      return text.isEmpty ? nil : text
    }
  }

  /// The text without the parts in backticks.
  private static func withoutCode(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .compactMap { $0.offset.isMultiple(of: 2) ? $0.element : nil }
      .joined()
  }

  // MARK: Phrases

  private static func words(of text: String) -> [Substring] {
    // A word after a period without a space is code, such as a case's name.
    text.split { !$0.isLetter && !["'", "’", "."].contains($0) }
      .filter { !$0.hasPrefix(".") }
      .flatMap { $0.split(separator: ".") }
  }

  static func count(in text: String) -> [Kind: Int] {
    let words = words(of: text.lowercased()).map(String.init)
    var counts: [Kind: Int] = [:]
    for (index, word) in words.enumerated() {
      let last = index > 0 ? words[index - 1] : ""
      let next = index + 1 < words.count ? words[index + 1] : ""
      if let kind = kind(of: word, after: last, before: next) { counts[kind, default: 0] += 1 }
    }
    return counts
  }

  private static func kind(of word: String, after last: String, before next: String) -> Kind? {
    switch word {
    case "what", "whatever", "who", "whom": .riddles
    case "where": ["it", "that", "there", "they", "this"].contains(next) ? .riddles : nil
    case "nothing", "none": .absences
    case "goes", "comes", "came", "says", "said": .wanderers
    case "nobody", "somebody", "whoever", "anew": .idioms
    case "told": passives.contains(last) || next == "of" ? .idioms : nil
    case "tell", "tells": next == "apart" || next.isEmpty ? nil : .idioms
    case "behind": distances.contains(last) ? nil : .idioms
    case "afar": last == "from" ? .idioms : nil
    case "vain": last == "in" ? .idioms : nil
    case "sense": last == "no" ? .idioms : nil
    default: nil
    }
  }

  private static let passives: Set = [
    "is", "are", "was", "were", "be", "been", "being", "has", "have", "get", "gets", "had",
  ]
  private static let distances: Set = ["far", "further", "lag", "lags", "fall", "falls"]
}
