/// Each table of a daemon names its bound.
///
/// A table without a bound can fill the memory if peers send enough. So the comment of each
/// property with any number of elements has "Bounded by", and names a limit, the ledger that
/// counts its bytes, or another table, whose comment names one. A constant is as large as its
/// source, and the program's author bounds public properties.
enum Tables {
  static let rule = "tables"

  static let limits = "StoreProtocol/Limits.swift"

  /// The places of a daemon that store data from peers and data for them.
  static let rooms = [
    "StoreServer/", "StoreHistory/Crashes/", "StoreHistory/Grants/", "StoreHistory/Peers/",
    "StoreDaemon/",
  ]

  /// The type, or the value, of a property with any number of elements.
  private static let tables = ["[", "Deque<", "Set<", "Heap<"].flatMap { [": \($0)", "= \($0)"] }

  /// The possible bounds of a property: all declarations of the rooms and the limits.
  static func bounds(in files: [SourceFile]) -> Set<String> {
    let words = ["let", "var", "struct", "class", "enum"]
    return Set(
      files.filter { isChecked($0) || $0.place == limits }.flatMap(\.code).compactMap { line in
        let parts = line.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        guard let place = parts.firstIndex(where: words.contains) else { return nil }
        return parts.dropFirst(place + 1).first
      }
    )
  }

  private static func isChecked(_ file: SourceFile) -> Bool {
    rooms.contains { file.place?.hasPrefix($0) ?? false }
  }

  /// Checks a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - bounds: The possible bounds of a property.
  /// - Returns: The tables whose comments name none of the bounds.
  static func check(_ file: SourceFile, bounds: Set<String>) -> [Breach] {
    guard isChecked(file) else { return [] }
    return file.code.indices.filter { index in
      isTable(file.code[index]) && isMember(index, in: file)
        && !isBound(comment(above: index, in: file), bounds)
    }
    .map { index in
      Breach(
        rule: rule,
        path: file.path,
        line: index + 1,
        what: "a table has no limit in its comment",
        remedy: "Name its bound: Bounded by ``Limits/…``, ``ByteLedger``, or another table.",
      )
    }
  }

  /// Whether a line declares a variable with any number of elements, or such a value of a mutex.
  private static func isTable(_ line: String) -> Bool {
    guard !line.contains("public "), !line.hasSuffix("{") else { return false }
    if line.contains("= Mutex<[") { return true }
    guard let start = line.firstRange(of: "var ")?.upperBound,
      let type = tables.compactMap({ line[start...].firstRange(of: $0)?.lowerBound }).min()
    else { return false }
    // A computed property stores no elements.
    return !line[start..<type].contains("{")
      && !line[type...].prefix { $0 != "=" }.contains("{")
  }

  /// Whether a line is a member of a type, outside of functions.
  private static func isMember(_ index: Int, in file: SourceFile) -> Bool {
    func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }
    let own = indent(file.code[index])
    let opener = file.code[..<index].last { !$0.allSatisfy { $0 == " " } && indent($0) < own }
    let words = opener?.split(separator: " ").map(String.init) ?? []
    return words.last == "{"
      && words.contains { ["struct", "class", "enum", "actor", "extension"].contains($0) }
  }

  /// The comment that ends on the line above.
  private static func comment(above index: Int, in file: SourceFile) -> String {
    file.lines[..<index].reversed().map { $0.drop { $0 == " " } }
      .prefix { $0.hasPrefix("//") }.reversed().joined(separator: " ")
  }

  /// Whether a comment names one of the bounds after "bounded by".
  private static func isBound(_ comment: String, _ bounds: Set<String>) -> Bool {
    guard let start = comment.firstRange(of: "ounded by ")?.upperBound else { return false }
    let names = comment[start...].split(separator: "``", omittingEmptySubsequences: false)
    return names.indices.contains { index in
      !index.isMultiple(of: 2)
        && names[index].split(separator: "/").last.map(String.init)
          .map(bounds.contains) ?? false
    }
  }
}
