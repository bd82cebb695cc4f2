import Foundation
import Testing

/// The package that is fuzzed builds some of this one's folders by themselves, in another way than
/// this one, and so rarely that nobody would notice when it does not.
@Suite(.timeLimit(.minutes(4)), .enabled(if: Compiler.isKnown, "no compiler that is known"))
struct FuzzPackageTests {
  /// In the order in which they need one another.
  private static let modules = [
    "StoreBytes", "StoreValues", "StoreCollections", "StoreState", "GenericState", "StoreProtocol",
    "Fuzz",
  ]

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `What is fuzzed compiles without the rest of the package`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("fuzz-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let dependencies = "\(try Compiler.buildFolder())/Modules"
    for module in Self.modules {
      let said = try Compiler.run(
        [
          "-emit-module", "-emit-module-path", "\(folder.path)/\(module).swiftmodule", "-wmo",
          "-parse-as-library", "-module-name", module, "-package-name", "fuzz", "-I", folder.path,
          "-I", dependencies, "-swift-version", "6", "-diagnostic-style", "llvm",
          "-suppress-warnings",
          "-enable-upcoming-feature", "ExistentialAny",
          "-enable-upcoming-feature", "InternalImportsByDefault",
          "-enable-upcoming-feature", "MemberImportVisibility",
          "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
        ] + (try sources(of: module))
      )
      let errors = said.split(separator: "\n").filter { $0.contains("error:") }
      #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
    }
  }

  /// The paths of a module's files, which may be linked.
  private func sources(of module: String) throws -> [String] {
    let link = Self.root.appendingPathComponent("Fuzz/Sources/\(module)")
    let folder = link.resolvingSymlinksInPath()
    let paths = try #require(FileManager.default.enumerator(atPath: folder.path))
    return paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
      .map { "\(folder.path)/\($0)" }
  }
}
