/// What a daemon keeps of its peers' bytes, or for them, names the limit that bounds it.
///
/// A table without one fills the memory as soon as somebody sends enough, and a limit of entries
/// alone bounds no bytes. So the comment of each such table says ``Bounded by`` and names a limit
/// of `Limits.swift`, or the ledger that counts its bytes.
enum Tables {
  static let rule = "tables"

  static let limits = "StoreReplication/Limits.swift"

  /// Where a daemon keeps what peers send and what they are sent.
  static let folders = ["Sessions", "Publishing", "Joins"].map {
    "StoreReplication/Server/\($0)/"
  }

  /// The types of which there is as much as a peer makes.
  private static let bytes: Set = [
    "String", "UInt8", "Outcome", "ScopeKey", "OutgoingFrame", "Answer", "Substring",
  ]

  /// What a property of several elements begins with.
  private static let tables = [": [", ": Deque<", ": Set<", ": Heap<"]

  /// Checks a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - limits: The file of the limits.
  /// - Returns: The tables whose comments name no limit that there is.
  static func check(_ file: SourceFile, limits: SourceFile) -> [Breach] {
    guard let place = file.place, folders.contains(where: place.hasPrefix) else { return [] }
    return file.code.indices.filter { index in
      isTable(file.code[index])
        && !comment(above: index, in: file).contains { isBound($0, limits) }
    }
    .map { index in
      Breach(
        rule: rule,
        path: file.path,
        line: index + 1,
        what: "a table of what peers send, or are sent, has no limit in its comment",
        remedy: "Say what bounds its bytes: Bounded by ``Limits/…``, or by ``ByteLedger``.",
      )
    }
  }

  /// Whether a line declares a stored property with several of the types' elements.
  private static func isTable(_ line: String) -> Bool {
    guard line.hasPrefix("  "), !line.hasPrefix("   "), !line.hasSuffix("{"),
      let start = line.firstRange(of: "var ")?.upperBound,
      let type = tables.compactMap({ line[start...].firstRange(of: $0)?.lowerBound }).min()
    else { return false }
    let declared = line[type...].prefix { $0 != "=" && $0 != "{" }
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

  private static func isBound(_ line: String, _ limits: SourceFile) -> Bool {
    if line.contains("``ByteLedger``") { return true }
    return line.split(separator: "``Limits/").dropFirst().contains { rest in
      let name = rest.prefix { $0.isLetter || $0.isNumber }
      return !name.isEmpty && limits.code.contains { $0.contains("var \(name)") }
    }
  }
}
