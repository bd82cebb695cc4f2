import StoreHistory
import StoreJournal
import StoreProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Adds and removes lines of keys, by commands; all other lines stay unchanged.
extension GrantsFile {
  /// The grants of a key, line by line.
  struct KeyLines: Sendable {
    let name: String
    let key: [UInt8]
    let grants: [String]

    fileprivate var text: String {
      grants.map { "key:\(name)=\(KeyText.text(key)) \($0)\n" }.joined()
    }
  }

  /// The file's grants if the lines of another key were added.
  func grants(adding lines: KeyLines) throws(Problem) -> Grants {
    try added(lines, to: try text() ?? "").value
  }

  /// Adds the lines of another key.
  ///
  /// - Returns: The new grants, which survive a crash of the machine.
  func add(_ lines: KeyLines) throws(Problem) -> Change {
    _ = try edit { (text) throws(Problem) in try added(lines, to: text) }
    return look()
  }

  /// Removes the lines of a key, even if other lines are invalid.
  ///
  /// - Returns: The new grants, or the problem with them; nil if there is no such key.
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
    // A mistake that was there before is reported as such.
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

  /// The most attempts at a change that conflicts with another writer's.
  private static let attempts = 5

  /// Changes the text, and preserves concurrent changes of other writers.
  ///
  /// - Parameter change: Returns the new text, nil for no change, and a value. It is called again
  ///   if another writer has changed the text meanwhile.
  /// - Returns: The value of the last call.
  /// - Throws: ``Problem``; the file is then as the other writers have left it.
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
      description: "Another process changes \(path) at the same time, again and again. Try later."
    )
  }

  /// Replaces a text by another.
  ///
  /// - Returns: False when the file no longer has the old text.
  private func replace(_ old: String?, with new: String) throws(Problem) -> Bool {
    // A symbolic link is preserved: its target is replaced.
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
