import StoreHistory
import StoreJournal
import StoreProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines of keys, which are added and removed by commands; all others stay as they are.
extension GrantsFile {
  /// What is granted to a key, line by line.
  struct KeyLines: Sendable {
    let name: String
    let key: [UInt8]
    let grants: [String]

    fileprivate var text: String {
      grants.map { "key:\(name)=\(KeyText.text(key)) \($0)\n" }.joined()
    }
  }

  /// What it would grant with the lines of another key.
  func grants(adding lines: KeyLines) throws(Problem) -> Grants {
    try added(lines, to: try text() ?? "").value
  }

  /// Adds the lines of another key.
  ///
  /// - Returns: What it grants now, and also after the machine's end.
  func add(_ lines: KeyLines) throws(Problem) -> Change {
    _ = try edit { (text) throws(Problem) in try added(lines, to: text) }
    return look()
  }

  /// Removes the lines of a key, whether the others make sense or not.
  ///
  /// - Returns: What it grants now, or why that is not clear; nil where there is no such key.
  func remove(key name: String) throws(Problem) -> Change? {
    let isRemoved = try edit { (text) throws(Problem) in
      let rest = Grants.text(text, withoutKey: name)
      return (rest, rest != nil)
    }
    return isRemoved ? look() : nil
  }

  private func added(
    _ lines: KeyLines,
    to text: String,
  ) throws(Problem) -> (text: String?, value: Grants) {
    // A mistake that is there already is told as what it is.
    if try grants(text).linesOfKeys.contains(where: { $0.name == lines.name }) {
      throw Problem(
        description:
          "There is a key \"\(lines.name)\" already. Revoke it first, or use another name."
      )
    }
    let separator = text.isEmpty || text.unicodeScalars.last == "\n" ? "" : "\n"
    let whole = text + separator + lines.text
    return (whole, try grants(whole))
  }

  /// So often a change is made anew that somebody else's has crossed.
  private static let attempts = 5

  /// Changes the text, and takes nothing back that somebody else has changed meanwhile.
  ///
  /// - Parameter change: What a text is to become, nil for what it is, and what comes of that. It
  ///   is asked again about a text that was changed meanwhile.
  /// - Returns: What has come of it.
  /// - Throws: ``Problem``; then the file is as somebody else has left it.
  func edit<Value>(
    _ change: (String) throws(Problem) -> (text: String?, value: Value)
  ) throws(Problem) -> Value {
    for _ in 0..<Self.attempts {
      let old = try text()
      let (new, value) = try change(old ?? "")
      guard let new else { return value }
      if try replace(old, with: new) { return value }
    }
    throw Problem(
      description: "Somebody else changes \(path) at the same time, again and again. Try later."
    )
  }

  /// Puts a text in the place of another.
  ///
  /// - Returns: False when that is not the file's text any more.
  private func replace(_ old: String?, with new: String) throws(Problem) -> Bool {
    // A link stays one.
    let target = realpath(path, nil)
    defer { free(target) }
    do throws(JournalError) {
      return try DurableFile.write(
        Array(new.utf8),
        to: target.map { String(cString: $0) } ?? path,
        unless: { Result { () throws(Problem) in try text() } != .success(old) },
      )
    } catch {
      throw Problem(description: "\(error)")
    }
  }
}
