import Foundation
import GenericState
import StoreState
import Testing

extension ProcessTests {
  /// Every command that help and the pages show is run as it stands there.
  @Suite struct DocumentedCommandTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()

    /// The pages that show commands.
    private static let pages: [String] = {
      let guides = root.appending(path: "docs/guides").path()
      let names = (try? FileManager.default.contentsOfDirectory(atPath: guides)) ?? []
      return ["README.md"]
        + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/guides/\($0)" }
    }()

    @Test(arguments: [Program.stored, .storectl])
    func `What help shows as examples works`(program: Program) async throws {
      try await World.run { world in
        let desk = try await Desk(world)
        let help = try await world.finish(world.start(program, ["--help"]))
        let commands = Self.subcommands(help.output)
        #expect(commands.count >= 3, "\(help.output)")
        // What is backed up others look at.
        let order = commands.filter { $0 == "backup" } + commands.filter { $0 != "backup" }
        for command in [nil] + order.map(Optional.some) {
          let arguments = command.map { ["help", $0] } ?? ["--help"]
          let text = try await world.finish(world.start(program, arguments)).output
          let examples = Self.examples(text)
          #expect(!examples.isEmpty, "\(program.rawValue) \(command ?? "") shows no example")
          for example in examples { try await desk.run(example) }
        }
      }
    }

    @Test(arguments: pages)
    func `What a page shows works`(page: String) async throws {
      let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
      let commands = Self.commands(text)
      #expect(page != "README.md" || commands.count > 5)
      guard !commands.isEmpty else { return }
      let makefile = try String(contentsOf: Self.root.appending(path: "Makefile"), encoding: .utf8)
      try await World.run { world in
        let desk = try await Desk(world)
        for command in commands {
          if command.hasPrefix("make ") {
            // The gate runs them; here only whether there is such a target.
            let target = command.split(separator: " ")[1]
            #expect(makefile.contains("\n\(target):"), "\(command)")
          } else {
            try await desk.run(command)
          }
        }
      }
    }

    private static func subcommands(_ help: [String]) -> [String] {
      help.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }.compactMap { line in
        let isName = line.hasPrefix("  ") && !line.hasPrefix("   ")
        return isName ? line.split(separator: " ").first.map(String.init) : nil
      }
    }

    private static func examples(_ help: [String]) -> [String] {
      help.drop { $0 != "Example:" && $0 != "Examples:" }.dropFirst()
        .prefix { $0.hasPrefix("  ") }.map { String($0.trimmingPrefix(while: \.isWhitespace)) }
    }

    /// The lines of a page's code that are commands of ours.
    private static func commands(_ text: String) -> [String] {
      var isCode = false
      return text.split(separator: "\n").compactMap { line in
        if line.hasPrefix("```") { isCode.toggle() }
        guard isCode || line.hasPrefix("    ") else { return nil }
        var command = line.trimmingPrefix(while: \.isWhitespace)
        command.trimPrefix("$ ")
        let isOurs = command.prefixMatch(of: /([A-Z_]+=\w+ )?(storectl|stored|make) [\w-]/) != nil
        return isOurs ? String(command) : nil
      }
    }
  }
}

/// Where commands are typed: beside a daemon with a todo, and with the files that they name.
private struct Desk {
  let world: World
  let row: String

  init(_ world: World) async throws {
    self.world = world
    // Where it lets in who is invited.
    _ = try await TCPDaemon.start(world)
    try await world.send("todos", #"{"addButtonTapped":{"title":"Milk"}}"#)
    try await world.send("counter", "incrementButtonTapped")
    let items = try await world.get("todos")["items"]?.items
    row = try #require(items?.first?["id"]?.text)
    let files = FileManager.default
    let bin = "\(world.directory)/bin"
    try files.createDirectory(atPath: bin, withIntermediateDirectories: true)
    for program in [Program.stored, .storectl] {
      let path = try program.path
      try files.createSymbolicLink(
        atPath: "\(bin)/\(program.rawValue)",
        withDestinationPath: path,
      )
    }
    // Not everybody has it; what it would do with the output is its own affair.
    try files.createSymbolicLink(atPath: "\(bin)/jq", withDestinationPath: "/bin/true")
    try #"{"addButtonTapped":{"title":"Eggs"}}"#
      .write(toFile: "\(world.directory)/actions", atomically: true, encoding: .utf8)
  }

  /// Runs a command as it is shown, and expects that it does what it says.
  func run(_ command: String) async throws {
    var text =
      command
      .replacing("5F36…", with: row)
      .replacing("/var/lib/node_exporter/", with: "")
    if text.contains(Self.invitation) {
      let line = try await world.invite("desk", "--grant", "counter:see")
      text.replace(Self.invitation, with: line)
    }
    let shell = try world.start(
      path: "/bin/bash",
      ["-c", "cd \(world.directory)\n\(isEndless(text) ? Self.untilToldToEnd(text) : text)"],
      environment: environment(text),
    )
    if isEndless(text) {
      _ = try await shell.output.lines(atLeast: 1)
      shell.write(lines: ["enough"])
    }
    let run = try await world.finish(shell)
    #expect(run.end == .status(status(text)), "\(command): \(run.output) \(run.errorText)")
  }

  /// The line by which one enrols, as it is shown.
  private static let invitation = "tcp://host:5555#8c…e1.07…4b"

  /// Runs a command as a job, and ends all of it when there is a line to read.
  private static func untilToldToEnd(_ command: String) -> String {
    "set -m; { \(command)\n } </dev/null & read; kill -- -$!; wait; exit 0"
  }

  private func environment(_ command: String) -> [String: String] {
    let isDaemon = command.prefixMatch(of: /stored --/) != nil
    return [
      "PATH": "\(world.directory)/bin:/usr/bin:/bin", "HOME": world.directory,
      // Another daemon has a place of its own.
      "STOREACTOR_DIR": isDaemon ? "\(world.directory)/alone" : world.directory,
      // Where a daemon is at work only a backup is made.
      "DATA": command.hasPrefix("storectl backup") ? "data" : "copy",
      "COPY": "copy", "FILE": "history", "REVISION": "1", "NEW": "new-\(UUID())",
    ]
  }

  private func isEndless(_ command: String) -> Bool {
    let watches = command.hasPrefix("storectl watch") && !command.contains("--count")
    return (watches && !command.contains("| head")) || command.contains("--follow")
      || command.hasPrefix("storectl status --watch") || command.hasPrefix("stored --")
  }

  /// What it ends with.
  private func status(_ command: String) -> Int32 {
    // A slip, that the page shows; and a screen, for which there is no terminal here.
    if command.contains("addButonTapped") { return 65 }
    return command == "storectl ui" ? 64 : 0
  }
}
