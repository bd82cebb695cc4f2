import ArgumentParser
import Foundation
import Testing

@testable import StorectlMain
@testable import StoredMain

/// The programs, their help and the pages name the same commands and exit statuses.
@Suite struct ProgramPagesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  private func commands(below root: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [root] + root.configuration.subcommands.flatMap { commands(below: $0) }
  }

  /// Returns the numbers in a text that are exit statuses of failures.
  private func statuses(in text: some StringProtocol) -> Set<Int> {
    Set(text.split { !$0.isNumber }.compactMap { Int($0) })
      .intersection(Set(64...78).union([1]))
  }

  /// Returns the statuses in source files.
  private func statuses(inCode paths: [String]) throws -> Set<Int> {
    let lines = try paths.flatMap { try text("Sources/\($0).swift").split(separator: "\n") }
    return lines.reduce(into: []) { result, line in
      if line.contains("exitStatus: ") || line.contains("ExitCode(")
        || line.contains("case ") && line.contains(" = ")
      {
        result.formUnion(statuses(in: line))
      }
    }
  }

  /// Returns the statuses in the help of a program and its commands.
  private func statuses(inHelpOf root: any ParsableCommand.Type) -> Set<Int> {
    commands(below: root).reduce(into: []) { result, command in
      let paragraphs = command.configuration.discussion.components(separatedBy: "\n\n")
      for paragraph in paragraphs {
        guard let start = paragraph.range(of: "xits with")?.upperBound else { continue }
        result.formUnion(statuses(in: paragraph[start...]))
      }
    }
  }

  @Test func `Help, the guide and the unit name the statuses that programs exit with`() throws {
    let daemon = try statuses(inCode: [
      "Transport/StoreDaemon/Host/HostError", "Daemon/DaemonSettings",
    ])
    let client = try statuses(
      inCode: [
        "Transport/StoreClient/ConnectionError", "Client/CommandError",
        "Client/Output/VerifiedDirectory",
      ]
    )
    #expect(daemon.count >= 8 && client.count >= 11)
    #expect(statuses(inHelpOf: Stored.self) == daemon)
    #expect(statuses(inHelpOf: Storectl.self) == client)
    let section = try #require(
      text("docs/guides/Running.md").components(separatedBy: "## Exit statuses\n").last?
        .components(separatedBy: "\n## ").first
    )
    let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }
      .compactMap { $0.split(separator: "|").first }
    #expect(rows.reduce(into: []) { $0.formUnion(statuses(in: $1)) } == daemon.union(client))
    let unit = try text("Packaging/stored.service").split(separator: "\n")
    let kept = try #require(unit.first { $0.hasPrefix("RestartPreventExitStatus=") })
    #expect(!statuses(in: kept).isEmpty && statuses(in: kept).isSubset(of: daemon))
  }

  /// Returns the commands of a program that a page names in code.
  private func names(of program: String, in page: String) -> Set<String> {
    let parts = page.components(separatedBy: "\(program) ")
    return Set(
      zip(parts, parts.dropFirst()).compactMap { before, after -> String? in
        let ends = ["`", "    ", "$ ", "\n"]
        guard ends.contains(where: { before.hasSuffix($0) }) else { return nil }
        let word = after.prefix { $0.isLetter || $0 == "-" }
        return word.isEmpty || word.hasPrefix("-") ? nil : String(word)
      }
    )
  }

  /// The README and the guides.
  private func pages() throws -> [(path: String, text: String)] {
    let guides = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appending(path: "docs/guides").path
    )
    let paths = guides.filter { $0.hasSuffix(".md") }.map { "docs/guides/\($0)" }
    return try (["README.md"] + paths).map { (path: $0, text: try text($0)) }
  }

  private func check(_ program: String, _ root: any ParsableCommand.Type) throws {
    let commands = Set(root.configuration.subcommands.compactMap { $0.configuration.commandName })
    var named: Set<String> = []
    for page in try pages() {
      let names = names(of: program, in: page.text)
      let unknown = names.subtracting(commands).subtracting(["help"])
      #expect(unknown == [], "\(page.path) names them")
      named.formUnion(names)
    }
    // An empty search would prove no fact, so several names are expected.
    #expect(named.count > 1, "\(named)")
  }

  @Test func `Pages name no command that there is not`() throws {
    try check("stored", Stored.self)
    try check("storectl", Storectl.self)
  }
}
