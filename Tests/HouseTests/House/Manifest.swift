/// A target of the package, as in the manifest.
struct Room: Hashable, Sendable {
  /// The target's name, which is also the name of its module.
  var name: String
  /// Its folder, relative to the repository's root.
  var folder: String
  /// The line of the manifest that declares it, counted from one.
  var line = 1
  /// Whether a comment states its reason.
  var hasReason = true

  /// The wing: the folder of `Sources` that contains the target; nil for tests and benchmarks.
  var wing: String? {
    let parts = folder.split(separator: "/")
    return parts.count > 1 && parts[0] == "Sources" ? String(parts[1]) : nil
  }
}

/// The targets of `Package.swift`, parsed from its text.
///
/// The manifest is a table: a folder on its own line, then a line for each target. The name of the
/// target's folder follows "in", unless it equals the target's name.
struct Manifest: Sendable {
  static let path = "Package.swift"
  static let lines = 400

  let rooms: [Room]
  /// The number of lines in the manifest.
  let count: Int

  init(_ lines: [String]) {
    var rooms: [Room] = []
    var folder = ""
    for (index, line) in lines.enumerated() {
      if let match = line.wholeMatch(of: #/  "([^"]+)": \[/#) {
        folder = String(match.1)
      } else if let match = line.prefixMatch(of: #/    "(\w+)(?: in ([\w/]+))?": \[/#) {
        let above = index > 0 ? lines[index - 1].trimmingSpaces : ""
        rooms.append(
          Room(
            name: String(match.1),
            folder: "\(folder)/\(match.2 ?? match.1)",
            line: index + 1,
            hasReason: above.hasPrefix("// ") || line.contains("  // "),
          )
        )
      }
    }
    self.rooms = rooms
    count = lines.count
  }

  /// The targets of the product.
  var product: [Room] { rooms.filter { $0.wing != nil } }

  /// The target of a file: the one with the innermost folder above it.
  func room(of path: String) -> Room? {
    rooms.filter { path.hasPrefix("\($0.folder)/") }.max { $0.folder.count < $1.folder.count }
  }
}
