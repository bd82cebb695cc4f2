/// Time limits of tests grow with the load of the machine.
enum TimeLimits {
  /// The file that scales them; a test target has a link to it.
  static let file = "TestPatience.swift"

  /// The test files with a time limit whose target has no link to the file.
  static func check(_ files: [SourceFile]) -> [Breach] {
    let folders = files.map(\.path).filter { $0.hasSuffix("/\(file)") }.map {
      $0.dropLast(file.count)
    }
    return files.filter(\.isTest).compactMap { file in
      let index = file.code.firstIndex { $0.contains(".timeLimit(.minutes(") }
      guard let index, !folders.contains(where: { file.path.hasPrefix($0) }) else { return nil }
      return Breach(
        rule: "time limits",
        path: file.path,
        line: index + 1,
        what: "a time limit that is the same on a busy machine",
        remedy: "Link the target's folder to Tests/Support/\(Self.file): ln -s.",
      )
    }
  }
}
