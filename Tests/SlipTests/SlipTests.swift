import Foundation
import Testing

/// What a feature's author is told who makes a mistake.
///
/// Each slip is a file in the folder of slips, and beside it stands what the compiler says. They
/// are compiled as a user's module, with the modules and the macros that the tests were built with.
@Suite("What the compiler says of slips")
struct SlipTests {
  private let slips: [Slip]

  init() throws {
    slips = try Slip.all()
  }

  @Test(
    "It says what is written beside each of them",
    .enabled(if: Compiler.isKnown, "the sentences are those of Swift \(Compiler.knownVersion)"),
  )
  func sentences() throws {
    let said = try Compiler.said(of: slips.map(\.path))
    for slip in slips {
      try slip.expect(said[slip.path] ?? "")
    }
  }

  @Test(
    "There are twenty at least, and of each something is said that means something to an author"
  )
  func texts() throws {
    #expect(slips.count >= 20 && Slip.fine.count >= 4)
    for slip in slips {
      let text = try slip.expected()
      #expect(text.contains("error: ") || text.contains("warning: "), "\(slip.name)")
      // A protocol of which nobody has heard is no remedy.
      #expect(!text.contains("to '_"), "\(slip.name)")
    }
  }

  @Test(
    "It says nothing of names and declarations that generated code has to cope with",
    .enabled(if: Compiler.isKnown, "compilers before Swift 6.3 have no module selectors"),
    arguments: Slip.fine,
  )
  func fine(_ name: String) throws {
    #expect(try Compiler.said(of: [Slip.finePath(name)]) == [:])
  }

  @Test(
    "It says nothing of the code in documentation comments",
    .enabled(if: Compiler.isKnown, "other compilers may warn of other code"),
  )
  func documentation() throws {
    let names = ["DocumentedFeatures.swift", "DocumentedUses.swift"]
    #expect(try Compiler.said(of: names.map(Slip.finePath)) == [:])
  }
}

/// A file with a mistake in it.
struct Slip {
  let name: String
  let path: String

  fileprivate static var folder: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Slips")
  }

  /// The names of files without a mistake, each of which stands alone.
  fileprivate static let fine =
    ((try? FileManager.default.contentsOfDirectory(atPath: finePath(""))) ?? [])
    .filter { !$0.hasPrefix("Documented") }.sorted()

  fileprivate static func finePath(_ name: String) -> String {
    folder.appendingPathComponent("Fine/\(name)").path
  }

  private var textPath: String { Slip.folder.appendingPathComponent("\(name).txt").path }

  static func all() throws -> [Slip] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
      .sorted()
      .map { file in
        Slip(
          name: String(file.dropLast(".swift".count)),
          path: folder.appendingPathComponent(file).path,
        )
      }
  }

  /// What is written beside it.
  func expected() throws -> String {
    guard FileManager.default.fileExists(atPath: textPath) else { return "" }
    return try String(contentsOfFile: textPath, encoding: .utf8)
  }

  /// Compares what was said with what is written; `UPDATE=1` in the environment writes it.
  func expect(_ said: String) throws {
    if ProcessInfo.processInfo.environment["UPDATE"] == "1" {
      try said.write(toFile: textPath, atomically: true, encoding: .utf8)
    }
    let expected = try expected()
    #expect(said == expected, "\(name): run with UPDATE=1 to accept it.")
  }
}
