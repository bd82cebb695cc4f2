/// The pages about the code name only existing code.
enum Architecture {
  static let rule = "architecture"
  static let page = "docs/ARCHITECTURE.md"

  /// Names of programs, which do not occur in code.
  private static let programs: Set = ["simulator", "ssh", "storectl", "stored"]

  /// The paths and names of a page that do not exist.
  static func checkNames(_ page: SourceFile, _ index: CodeIndex) -> [Breach] {
    let wing = page.path.hasSuffix("README.md") ? page.path.dropLast("README.md".count) : nil
    return spans(of: page).compactMap { span, line in
      guard isPath(span) || isName(span), !programs.contains(span),
        !index.contains(path: span, in: wing.map(String.init)),
        isPath(span) || !names(span).allSatisfy(index.words.contains)
      else { return nil }
      return Breach(
        rule: rule,
        path: page.path,
        line: line,
        what: "`\(span)` is not in the code",
        remedy: "Name a file or folder from its target's folder on, or a name of the code.",
      )
    }
  }

  /// The wings that the architecture's table omits, and their targets.
  static func checkWings(_ page: SourceFile, _ wings: [String], _ manifest: Manifest) -> [Breach] {
    wings.flatMap { wing -> [Breach] in
      let row = page.lines.firstIndex { $0.hasPrefix("| [\(wing)](") }
      let text = row.map { page.lines[$0] } ?? ""
      let names = manifest.rooms.filter { $0.wing == wing }.map { "`\($0.name)`" }
      return names.filter { !text.contains($0) }.map { name in
        Breach(
          rule: rule,
          path: page.path,
          line: row.map { $0 + 1 } ?? 1,
          what: "the table of wings has no \(name) in a row of \(wing)",
          remedy: "Give the wing a row, with its purpose and all of its targets.",
        )
      }
    }
  }

  /// The paths from the repository's root on a page that do not exist.
  static func checkPaths(_ page: SourceFile, exists: (String) -> Bool) -> [Breach] {
    spans(of: page).compactMap { span, line in
      guard span.hasPrefix("Sources/") || span.hasPrefix("Tests/"), isPath(span), !exists(span)
      else { return nil }
      return Breach(
        rule: rule,
        path: page.path,
        line: line,
        what: "`\(span)` does not exist",
        remedy: "Correct the path.",
      )
    }
  }

  // MARK: Reading

  /// The code within the lines of a page, outside of blocks.
  private static func spans(of page: SourceFile) -> [(span: String, line: Int)] {
    var isBlock = false
    return page.lines.enumerated().flatMap { index, line -> [(String, Int)] in
      if line.trimmingSpaces.hasPrefix("```") { isBlock.toggle() }
      guard !isBlock, !line.hasPrefix("    ") else { return [] }
      return line.matches(of: /`([^`]+)`/).map { (String($0.1), index + 1) }
    }
  }

  private static func isPath(_ span: String) -> Bool {
    span.wholeMatch(of: /[A-Za-z][\w+.\-]*(\/[\w+.\-]+)+/) != nil
  }

  private static func isName(_ span: String) -> Bool {
    span.wholeMatch(of: /[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\(.*\))?/) != nil
  }

  private static func names(_ span: String) -> [String] {
    span.prefix { $0 != "(" }.split(separator: ".").map(String.init)
  }
}

/// Possible targets of a page's references: the words of the product's code, and its files.
struct CodeIndex {
  let words: Set<String>
  private let paths: Set<String>
  /// The targets' folders, by their last names.
  private let folders: [String: String]

  init(_ files: [SourceFile], _ manifest: Manifest) {
    let product = files.filter(\.isProduct)
    let folders = product.flatMap { file in
      file.path.split { $0 == "/" || $0 == "." }.map(String.init)
    }
    words = Set(manifest.rooms.map(\.name)).union(folders).union(
      product.flatMap { $0.words.filter(\.isName).map(\.text) }
    )
    var paths: Set<String> = []
    for file in files {
      paths.insert(file.path)
      if file.isSwift { paths.insert(String(file.path.dropLast(".swift".count))) }
      var folder = file.path[...]
      while let slash = folder.lastIndex(of: "/") {
        folder = folder[..<slash]
        guard paths.insert(String(folder)).inserted else { break }
      }
    }
    self.paths = paths
    self.folders = Dictionary(
      manifest.product.map { (String($0.folder.split(separator: "/").last ?? ""), $0.folder) }
    ) { first, _ in first }
  }

  /// Whether a path exists: from the root, from a wing, or from a target's folder on.
  func contains(path: String, in wing: String?) -> Bool {
    let parts = path.split(separator: "/", maxSplits: 1)
    let inTarget = folders[String(parts[0])].map { folder in
      ([folder[...]] + parts.dropFirst()).joined(separator: "/")
    }
    let inWing = wing.map { $0 + path }
    return [path, inTarget, inWing].contains { $0.map(paths.contains) == true }
  }
}
