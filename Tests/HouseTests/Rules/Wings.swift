/// The folders of `Sources`, their pages, and the targets in them.
enum Wings {
  static let rule = "wings"
  static let most = 15

  /// The parts that each page has.
  static let parts = ["**Purpose.**", "**Targets.**", "**Never.**", "**Start.**"]
  static let pageLines = 8...24

  static func page(of wing: String) -> String { "Sources/\(wing)/README.md" }

  /// Checks the targets in the manifest.
  static func checkManifest(_ manifest: Manifest) -> [Breach] {
    var breaches = manifest.rooms.filter { !$0.hasReason }.map { room in
      breach(
        Manifest.path,
        room.line,
        "the target \(room.name) has no reason",
        "State its purpose in one line above it, or after it.",
      )
    }
    if manifest.count > Manifest.lines {
      breaches.append(
        breach(
          Manifest.path,
          Manifest.lines,
          "\(manifest.count) lines, \(Manifest.lines) are allowed",
          "Use the table and its helpers; put a reason after its target if it fits.",
        )
      )
    }
    return breaches
  }

  /// Checks that each file of the product belongs to a target, and each target has files.
  ///
  /// Rules about targets do not apply to a file without a target.
  static func checkFiles(_ files: [SourceFile], _ manifest: Manifest) -> [Breach] {
    let strays = files.filter { file in
      let parts = file.path.split(separator: "/")
      let isPage = parts.count == 3 && parts[2] == "README.md"
      return file.isProduct && file.room == nil && !isPage
    }
    let used = Set(files.compactMap(\.room))
    return strays.map { file in
      breach(
        file.path,
        1,
        "the file is in no target that the manifest names",
        "Move it to a target's folder, or correct the target's folder in \(Manifest.path).",
      )
    }
      + manifest.rooms.filter { !used.contains($0) }.map { room in
        breach(
          Manifest.path,
          room.line,
          "the folder of \(room.name), \(room.folder), has no file",
          "Correct the folder: rules about this target look there.",
        )
      }
  }

  /// Checks the wings and their pages.
  static func checkPages(
    _ wings: [String],
    _ files: [SourceFile],
    _ manifest: Manifest,
  ) -> [Breach] {
    let crowd = wings.dropFirst(most).map { wing in
      breach(
        "Sources/\(wing)",
        1,
        "Sources has \(wings.count) folders, \(most) are allowed",
        "Move a target to the wing that has its subject.",
      )
    }
    return crowd
      + wings.flatMap { wing in
        let rooms = manifest.rooms.filter { $0.wing == wing }
        let path = page(of: wing)
        guard let file = files.first(where: { $0.path == path }) else {
          return [breach(path, 1, "the wing \(wing) has no page", pageRemedy)]
        }
        return check(file, rooms)
      }
  }

  private static let pageRemedy =
    "Write about ten lines: \(parts.joined(separator: ", ")) and the names of its targets."

  private static func check(_ page: SourceFile, _ rooms: [Room]) -> [Breach] {
    let text = page.lines.joined(separator: "\n")
    let missing =
      parts.filter { !text.contains("\n\($0)") }
      + rooms.map { "`\($0.name)`" }.filter { !text.contains($0) }
    let isLong = !pageLines.contains(page.lines.count)
    return missing.map { breach(page.path, 1, "the page has no \($0)", pageRemedy) }
      + (isLong ? [breach(page.path, 1, "\(page.lines.count) lines", pageRemedy)] : [])
  }

  private static func breach(
    _ path: String,
    _ line: Int,
    _ what: String,
    _ remedy: String,
  ) -> Breach {
    Breach(rule: rule, path: path, line: line, what: what, remedy: remedy)
  }
}
