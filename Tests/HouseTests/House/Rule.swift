/// A rule of the house: a sentence that holds for the repository, and the check for breaches.
struct Rule: Sendable, CustomStringConvertible {
  let description: String
  let check: @Sendable (Repository) throws -> [Breach]

  init(_ description: String, check: @escaping @Sendable (Repository) throws -> [Breach]) {
    self.description = description
    self.check = check
  }

  static let all: [Rule] = code + targets + pages

  /// Rules for code.
  private static let code = [
    Rule("There is one turn for each machine, and one copy of a scope") {
      $0.swift.flatMap(OneOfEach.check)
    },
    Rule("Each table of a daemon names the limit that bounds it") {
      let bounds = Tables.bounds(in: $0.swift)
      guard bounds.contains("heldBytes") else { throw NoFile(place: Tables.limits) }
      return $0.swift.flatMap { Tables.check($0, bounds: bounds) }
    },
    Rule("Another module uses each exported declaration") { Callers.check($0.files) },
    Rule("Files, functions and lines keep to their lengths") {
      $0.swift.flatMap { file in
        Lengths.checkFile(file) + Lengths.checkFunctions(file) + Lengths.checkLines(file)
      }
    },
    Rule("Banned calls are not made") { $0.swift.flatMap { BannedCalls.check($0) } },
    Rule("Every escape from the compiler's checks has its reason on the line above") {
      $0.swift.flatMap(Reasons.checkEscapes)
    },
    Rule("No comment marks unfinished work") { $0.swift.flatMap(Reasons.checkMarks) },
    Rule("Types with dynamic members have no members of their own that hide others") {
      DynamicMembers.check($0.files)
    },
    Rule("Time limits of tests grow with the load of the machine") { TimeLimits.check($0.swift) },
  ]

  /// Rules for targets and their folders.
  private static let targets = [
    Rule("No target imports a walled module") {
      $0.swift.flatMap(Walls.check) + Walls.unlisted($0.manifest.product)
    },
    Rule("No type bears its module's name, no module the name of another package's") {
      $0.swift.flatMap(Names.checkTypes) + Names.checkRooms($0.manifest.rooms)
        + Names.checkCFiles($0.files)
    },
    Rule("Each target has a reason, each wing a page, each file a target") {
      try Wings.checkManifest($0.manifest) + Wings.checkFiles($0.files, $0.manifest)
        + Wings.checkPages($0.wings(), $0.files, $0.manifest)
    },
  ]

  /// Rules for pages.
  private static let pages = [
    Rule("Pages lead to code that exists") { repository in
      guard let page = repository.files.first(where: { $0.path == Architecture.page }) else {
        throw NoFile(place: Architecture.page)
      }
      let wings = try repository.wings()
      let index = CodeIndex(repository.files, repository.manifest)
      let leading = wings.map(Wings.page)
      return Architecture.checkWings(page, wings, repository.manifest)
        + repository.markdown.filter { leading.contains($0.path) || $0.path == page.path }
        .flatMap { Architecture.checkNames($0, index) }
        + repository.markdown.flatMap { Architecture.checkPaths($0, exists: repository.contains) }
    },
    Rule("Comments, strings and pages are in plain language") { Language.check($0.files) },
    Rule("Relative links in pages lead somewhere") {
      Links.check($0.markdown, exists: $0.contains)
    },
    Rule("Code that articles, guides and documentation comments show is compiled") {
      CodeBlocks.check($0.markdown + $0.swift, against: $0.swift.filter(CodeBlocks.isShown))
    },
    Rule("The README stays under 200 lines and the changelog keeps its sections") {
      $0.markdown.flatMap { Pages.checkReadme($0) + Pages.checkChangelog($0) }
    },
  ]
}

/// The error if a file that a rule needs is missing.
struct NoFile: Error, CustomStringConvertible {
  var place: String
  var description: String {
    "There is no \(place), by which a rule looks; name the file's new place in the rule."
  }
}
