import StoreReplication
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines of keys, which are added and removed by commands; all others stay as they are.
extension GrantsFile {
  /// What is granted to a key, line by line.
  struct KeyLines: Sendable {
    var name: String
    var key: [UInt8]
    var grants: [String]

    fileprivate var text: String {
      grants.map { "key:\(name)=\(KeyText.text(key)) \($0)\n" }.joined()
    }
  }

  /// What it would grant with the lines of another key.
  func grants(adding lines: KeyLines) throws(Problem) -> Grants { try added(lines).grants }

  /// Adds the lines of another key.
  ///
  /// - Returns: What it grants now, and also after the machine's end.
  func add(_ lines: KeyLines) throws(Problem) -> Grants {
    let (text, grants) = try added(lines)
    try replace(with: text)
    return grants
  }

  /// Removes the lines of a key.
  ///
  /// - Returns: What it grants now; nil where there is no such key.
  func remove(key name: String) throws(Problem) -> Grants? {
    let text = try text() ?? ""
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    let kept = lines.filter { line in
      let word = line.drop { $0 == " " || $0 == "\t" }
      return !String(String.UnicodeScalarView(word)).hasPrefix("key:\(name)=")
    }
    guard kept.count < lines.count else { return nil }
    let rest = kept.map { String(String.UnicodeScalarView($0)) }.joined(separator: "\n")
    let grants = try grants(rest)
    try replace(with: rest)
    return grants
  }

  private func added(_ lines: KeyLines) throws(Problem) -> (text: String, grants: Grants) {
    let text = try text() ?? ""
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

  private func replace(with text: String) throws(Problem) {
    // A link stays one.
    let target = realpath(path, nil)
    defer { free(target) }
    do throws(SecretFile.Problem) {
      try SecretFile.replace(target.map { String(cString: $0) } ?? path, Array(text.utf8))
    } catch {
      throw Problem(description: "\(error)")
    }
  }
}
