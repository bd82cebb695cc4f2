import Foundation

/// A link in a Markdown page.
struct Link: Equatable {
  var target: String
  /// The line, counted from one.
  var line: Int
}

enum Links {
  /// The relative links without a target, over all pages.
  static func check(_ pages: [SourceFile], exists: (String) -> Bool) -> [Breach] {
    let anchors = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, Self.anchors(in: $0)) })
    return pages.flatMap { page in
      links(in: page).compactMap { link in
        guard let (what, remedy) = fault(of: link, on: page.path, anchors, exists) else {
          return nil
        }
        return Breach(rule: "links", path: page.path, line: link.line, what: what, remedy: remedy)
      }
    }
  }

  private static func fault(
    of link: Link,
    on page: String,
    _ anchors: [String: Set<String>],
    _ exists: (String) -> Bool,
  ) -> (what: String, remedy: String)? {
    let target = link.target.removingPercentEncoding ?? link.target
    guard !hasScheme(target) else { return nil }
    guard !target.hasPrefix("/") else {
      return ("the link \(target) starts at the disk's root", "Write it relative to the page.")
    }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = resolve(parts.first.map(String.init) ?? "", from: page) else {
      return ("the link \(target) leaves the repository", "Link to a file in it, or by https.")
    }
    guard path == page || exists(path) else {
      return ("the link \(target) leads to \(path), which is missing", "Correct or remove it.")
    }
    guard parts.count == 2, let known = anchors[path] else { return nil }
    guard !known.contains(String(parts[1])) else { return nil }
    return ("\(path) has no heading for #\(parts[1])", "Use the heading's words, in lower case.")
  }

  private static func hasScheme(_ target: String) -> Bool {
    guard let colon = target.firstIndex(of: ":") else { return false }
    return target[..<colon].allSatisfy { $0.isLetter || $0.isNumber || "+-.".contains($0) }
  }

  /// The path from the root to which a link on a page refers; nil if it leaves the root.
  static func resolve(_ target: String, from page: String) -> String? {
    guard !target.isEmpty else { return page }
    var parts = page.split(separator: "/").dropLast()
    for part in target.split(separator: "/") {
      switch part {
      case ".": continue
      case "..":
        guard parts.popLast() != nil else { return nil }
      default: parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }

  // MARK: Reading a page

  /// The links of a page, outside of code.
  static func links(in page: SourceFile) -> [Link] {
    prose(of: page).flatMap { line, text in
      var targets: [String] = []
      for match in text.matches(of: /\]\(\s*(<[^>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^)]*\)/) {
        targets.append(String(match.1))
      }
      if let match = text.firstMatch(of: /^\s{0,3}\[[^\]^][^\]]*\]:\s+(\S+)/) {
        targets.append(String(match.1))
      }
      return targets.map { target in
        let isBracketed = target.hasPrefix("<") && target.hasSuffix(">")
        return Link(
          target: isBracketed ? String(target.dropFirst().dropLast()) : target,
          line: line,
        )
      }
    }
  }

  /// The anchors of a page's headings, as the common hosts generate them, and explicit ones.
  static func anchors(in page: SourceFile) -> Set<String> {
    var anchors: Set<String> = []
    for (line, text) in prose(of: page) {
      for match in text.matches(of: /<a\s+(?:id|name)="([^"]+)"/) {
        anchors.insert(String(match.1))
      }
      // The original heading: code in it is part of its anchor.
      guard text.hasPrefix("#") else { continue }
      let heading = page.lines[line - 1].drop { $0 == "#" }
      var anchor = slug(String(heading))
      var copy = 0
      while !anchors.insert(anchor).inserted {
        copy += 1
        anchor = slug(String(heading)) + "-\(copy)"
      }
    }
    return anchors
  }

  private static func slug(_ heading: String) -> String {
    let words = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }
    return String(
      words.trimmingSpaces.lowercased().compactMap { character -> Character? in
        if character == " " { return "-" }
        let stays = character.isLetter || character.isNumber || "-_".contains(character)
        return stays ? character : nil
      }
    )
  }

  /// The lines outside fences, with inline code removed.
  private static func prose(of page: SourceFile) -> [(line: Int, text: String)] {
    var fence: String?
    return page.lines.enumerated().compactMap { index, text in
      let trimmed = text.trimmingSpaces
      if let open = fence {
        if trimmed.hasPrefix(open) { fence = nil }
        return nil
      }
      if trimmed.hasPrefix("```") || trimmed.hasPrefix("~~~") {
        fence = String(trimmed.prefix(3))
        return nil
      }
      return (index + 1, text.replacing(/`[^`]*`/, with: ""))
    }
  }
}
