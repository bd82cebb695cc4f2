/// A target of the package, as the manifest names it.
struct Room: Hashable, Sendable {
  /// The target's name, which is also its module's.
  var name: String
  /// Its folder, relative to the repository's root.
  var folder: String
  /// The manifest's line that names it, counted from one.
  var line = 1
  /// Whether a comment gives its reason.
  var hasReason = true

  /// The folder of `Sources` that the target is in, or is; nil for tests and benchmarks.
  var wing: String? {
    let parts = folder.split(separator: "/")
    return parts.count > 1 && parts[0] == "Sources" ? String(parts[1]) : nil
  }
}

/// The targets that `Package.swift` names, read from its text.
///
/// The manifest is a table: a folder in a line of its own, and below it a line for each target. The
/// name of the target's folder stands behind "in", unless it is the target's.
struct Manifest: Sendable {
  static let path = "Package.swift"
  static let lines = 400

  let rooms: [Room]
  /// How many lines the manifest has.
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

  /// The target that a file belongs to: the one with the innermost folder above it.
  func room(of path: String) -> Room? {
    rooms.filter { path.hasPrefix("\($0.folder)/") }.max { $0.folder.count < $1.folder.count }
  }
}
