/// What a daemon keeps of its peers' bytes, or for them, names the limit that bounds it.
///
/// A table without one fills the memory as soon as somebody sends enough, and a limit of entries
/// alone bounds no bytes. So the comment of each such table says ``Bounded by`` and names a limit
/// of `Limits.swift`, a constant of its own file, or the ledger that counts its bytes.
enum Tables {
  static let rule = "tables"

  static let limits = "Sources/StoreReplication/Limits.swift"

  /// Where a daemon keeps what peers send and what they are sent.
  private static let rooms = [
    "StoreReplication/Server/", "StoreDaemon/Connections/", "StoreDaemon/Keys/",
    "StoreDaemon/Metrics/",
  ].map { "Sources/\($0)" }

  /// The folders of the first of them whose properties are tables also where they are not private.
  private static let keepers = ["Sessions", "Publishing", "Joins"]

  /// The types of which there is as much as a peer makes.
  private static let bytes: Set = [
    "String", "UInt8", "Outcome", "ScopeKey", "OutgoingFrame", "Answer", "Substring", "Item",
    "ServerNotice", "Line", "Report", "Ticket", "Capture", "Join",
  ]

  /// What a property of several elements begins with.
  private static let tables = [": [", ": Deque<", ": Set<", ": Heap<", " = FairQueue<"]

  /// Checks a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - limits: The file of the limits.
  /// - Returns: The tables whose comments name no limit that there is.
  static func check(_ file: SourceFile, limits: SourceFile) -> [Breach] {
    guard rooms.contains(where: { file.path.hasPrefix($0) }) else { return [] }
    let keepsAll = keepers.contains { file.path.hasPrefix("\(rooms[0])\($0)/") }
    return file.code.indices.filter { index in
      // Elsewhere what anybody may change is a value that goes through, such as a report.
      isTable(file.code[index]) && (keepsAll || file.code[index].contains("private"))
        && !comment(above: index, in: file).contains { isBound($0, limits, in: file) }
    }
    .map { index in
      Breach(
        rule: rule,
        path: file.path,
        line: index + 1,
        what: "a table of what peers send, or are sent, has no limit in its comment",
        remedy:
          "Say what bounds its bytes: Bounded by ``Limits/…``, by a constant of the file, or by "
          + "``ByteLedger``.",
      )
    }
  }

  /// Whether a line declares a stored property with several of the types' elements.
  private static func isTable(_ line: String) -> Bool {
    guard line.hasPrefix("  "), !line.hasPrefix("   "), !line.hasSuffix("{"),
      let start = line.firstRange(of: "var ")?.upperBound,
      let type = line[start...].firstIndex(where: { $0 == ":" || $0 == " " }),
      tables.contains(where: { line[type...].hasPrefix($0) })
    else { return false }
    let declared = line[type...].drop { " =:".contains($0) }.prefix { $0 != "=" && $0 != "{" }
    // What is computed keeps nothing.
    guard line[declared.endIndex...].first != "{" else { return false }
    let words = declared.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return words.contains { bytes.contains($0) }
  }

  /// The comment that ends on the line above.
  private static func comment(above index: Int, in file: SourceFile) -> [String] {
    file.lines[..<index].reversed().map { $0.drop { $0 == " " } }
      .prefix { $0.hasPrefix("//") }.map(String.init)
  }

  private static func isBound(_ line: String, _ limits: SourceFile, in file: SourceFile) -> Bool {
    if line.contains("``ByteLedger``") { return true }
    let named = names(in: line, behind: "``Limits/")
    return (named + names(in: line, behind: "Bounded by ``")).contains { name in
      limits.code.contains { $0.contains("var \(name)") && named.contains(name) }
        || file.code.contains { $0.contains("static let \(name)") }
    }
  }

  private static func names(in line: String, behind mark: String) -> [String] {
    line.split(separator: mark).dropFirst().map { $0.prefix { $0.isLetter || $0.isNumber } }
      .filter { !$0.isEmpty }.map(String.init)
  }
}
