/// Rules for the pages for readers.
enum Pages {
  static let readmeLines = 200
  static let changelogSections = ["### Added", "### Changed", "### Fixed"]

  static func checkReadme(_ file: SourceFile) -> [Breach] {
    guard file.path == "README.md", file.lines.count >= readmeLines else { return [] }
    return [
      Breach(
        rule: "readme",
        path: file.path,
        line: readmeLines,
        what: "\(file.lines.count) lines, it stays under \(readmeLines)",
        remedy: "Move detail to docs/ and link to it.",
      )
    ]
  }

  /// Each version has the three sections, in their order.
  static func checkChangelog(_ file: SourceFile) -> [Breach] {
    guard file.path == "CHANGELOG.md" else { return [] }
    var versions: [(line: Int, sections: [String])] = []
    for (index, line) in file.lines.enumerated() {
      if line.hasPrefix("## ") { versions.append((index + 1, [])) }
      if line.hasPrefix("### "), !versions.isEmpty {
        versions[versions.count - 1].sections.append(line.trimmingSpaces)
      }
    }
    return versions.filter { $0.sections != changelogSections }.map { version in
      Breach(
        rule: "changelog",
        path: file.path,
        line: version.line,
        what: "its sections are \(version.sections)",
        remedy: "Each version has \(changelogSections), in this order, empty ones too.",
      )
    }
  }
}
