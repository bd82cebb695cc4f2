import Foundation
import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

private let root = URL(filePath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

extension ProcessTests {
  /// Runs every command of the help texts and of the pages as it is shown.
  @Suite struct DocumentedCommandTests {
    /// The pages that show commands.
    ///
    /// `make examples` runs those of `Examples/README.md`, since they need its builds.
    private static let pages: [String] = {
      let folders = ["docs/guides", "Examples", "Sources"]
      let found = folders.flatMap { folder in
        let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
        return (names?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
      }
      return ["README.md"]
        + found.filter { $0.hasSuffix(".md") && $0 != "Examples/README.md" }.sorted()
    }()

    @Test(arguments: [Program.stored, .storectl])
    func `The examples of the help work`(program: Program) async throws {
      try await World.run { world in
        let desk = try await Desk(world)
        let help = try await world.finish(world.start(program, ["--help"]))
        let commands = Self.subcommands(help.output)
        #expect(commands.count >= 3, "\(help.output)")
        // Other commands read the backup.
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
    func `The examples of a page work`(page: String) async throws {
      let commands = ShownCommands.find(in: try read(page))
      #expect(page != "README.md" || commands.count > 5)
      guard !commands.isEmpty else { return }
      try await World.run { world in
        let desk = try await Desk(world)
        for command in commands { try await desk.run(command) }
      }
    }

    @Test func `The walk through the examples runs the commands of their page`() throws {
      let page = try read("Examples/README.md")
      let commands = ShownCommands.find(in: page)
      #expect(commands.count >= 5)
      // The walk takes the lines with this indentation, and fails at an unknown one.
      let lines = page.split(separator: "\n").filter { $0.hasPrefix("        ") }
      #expect(commands == lines.map { String($0.trimmingPrefix(while: \.isWhitespace)) })
      #expect(try read("Scripts/examples").contains("sed -n 's/^        //p' Examples/README.md"))
      #expect(try read(".ci/run").contains("make examples"))
    }

    private func read(_ path: String) throws -> String {
      try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `Commands are found in every form in which pages show them`() {
      let page = """
        ```sh
        one "$A"
        # a remark
        two
        ```
        Text with `make nothing`.

            $ three --x
            what it says
            $ four | head -1

            make five

        ```console
        $ six
        make nothing
        ```
        1. A list:

                A_B=c storectl seven
                delta(record) = {}

        ```swift
        make nothing
        ```
        """
      #expect(
        ShownCommands.find(in: page) == [
          "one \"$A\"", "two", "three --x", "four | head -1", "six", "A_B=c storectl seven",
        ]
      )
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
  }
}

/// The environment of the commands: a daemon with a todo, and the files that they name.
private struct Desk {
  let world: World
  let row: String

  init(_ world: World) async throws {
    self.world = world
    // A daemon that listens over tcp, for `invite`.
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
    var others = Self.others
    // The first one on the search path may lack the packages.
    others["python3"] = pythonInterpreter.map { #"exec '\#($0)' "$@""# }
    for (program, script) in others {
      try "#!/bin/sh\n\(script)\n"
        .write(toFile: "\(bin)/\(program)", atomically: true, encoding: .utf8)
      #expect(chmod("\(bin)/\(program)", 0o755) == 0)
    }
    try #"{"addButtonTapped":{"title":"Eggs"}}"#
      .write(toFile: "\(world.directory)/actions", atomically: true, encoding: .utf8)
  }

  /// Substitutes for programs that may be missing, or would change the machine.
  private static let others = [
    // Its processing of the output is not tested.
    "jq": "exit 0",
    // The dependencies of a package, also of its build, are installed for the tests.
    "pip": #"""
    [ "$1" = install ] || exit 1
    cp -R '\#(root.path())'/"$2" "$HOME/source"
    exec python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
      --no-deps --no-build-isolation --target "$HOME/installed" "$HOME/source"
    """#,
    // No service manager runs, but its unit exists.
    "systemctl": """
    [ "$1" = --user ] || exit 1
    for word; do unit=${word##*/}; done
    test -f "\(root.path())/Packaging/${unit%.service}.service"
    """,
  ]

  /// Runs a command as it is shown, and expects its documented result.
  func run(_ command: String) async throws {
    let words = command.split(separator: " ").drop { $0.wholeMatch(of: /[A-Z_]+=.*/) != nil }
    switch words.first {
    case "storectl", "stored", "systemctl": try await type(command)
    case "python3" where isPythonAvailable, "pip" where isPythonAvailable: try await type(command)
    // `make test` reports that the tests that need Python are skipped.
    case "python3", "pip": break
    // `make test` runs this test.
    case "make" where words.dropFirst().first == "test": break
    case "make":
      let folder = try (Program.stored.path as NSString).deletingLastPathComponent
      let place = "-C '\(root.path())' DESTDIR='\(world.directory)/root'"
      let built = "SWIFT=true DEBUG='\(folder)' RELEASE='\(folder)'"
      try await type("make \(place) \(built)\(command.dropFirst("make".count))")
    default:
      Issue.record("A page shows a command that no test runs: \(command)")
    }
  }

  private func type(_ command: String) async throws {
    var text =
      command
      .replacing("5F36…", with: row)
      .replacing("/var/lib/node_exporter/", with: "")
      .replacing("/var/lib/app", with: "data")
      .replacing("/mnt/backup/", with: "mounted-")
      .replacing("ssh://vault/backups/", with: "far-")
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
      _ = try await shell.output.line("what \(command) shows") { !$0.hasPrefix("==>") }
      shell.write(lines: ["enough"])
    }
    let run = try await world.finish(shell, within: .seconds(120))
    #expect(run.end == .status(status(text)), "\(command): \(run.output) \(run.errorText)")
  }

  /// The invitation line as the pages show it.
  private static let invitation = "tcp://host:5555#8c…e1.07…4b"

  /// Runs a command as a job, and ends the whole job after a line of input.
  private static func untilToldToEnd(_ command: String) -> String {
    "set -m; { \(command)\n } </dev/null & read; kill -- -$!; wait; exit 0"
  }

  private func environment(_ command: String) -> [String: String] {
    let isDaemon = command.hasPrefix("stored --") || isMadeToRun(command)
    let own = [
      "PATH": "\(world.directory)/bin:/usr/bin:/bin", "HOME": world.directory,
      // A second daemon has its own directory.
      "STOREACTOR_DIR": isDaemon ? "\(world.directory)/alone" : world.directory,
      // The directory of the running daemon is only backed up.
      "DATA": command.hasPrefix("storectl backup") ? "data" : "copy",
      "COPY": "copy", "FILE": "history", "REVISION": "1", "NEW": "new-\(UUID())",
    ]
    return own.merging(pythonEnvironment) { own, _ in own }
  }

  private func isEndless(_ command: String) -> Bool {
    let watches =
      command.prefixMatch(of: /(storectl|python3 -m storeactor) watch/) != nil
      && !command.contains("--count")
    return (watches && !command.contains("| head")) || command.contains("--follow")
      || command.hasPrefix("storectl status --watch") || command.hasPrefix("stored --")
      || isMadeToRun(command)
  }

  private func isMadeToRun(_ command: String) -> Bool {
    command.wholeMatch(of: /make .* run( .*)?/) != nil
  }

  /// The expected exit status of a command.
  private func status(_ command: String) -> Int32 {
    // A misspelling that the page shows on purpose; and a screen, without a terminal here.
    if command.contains("addButonTapped") { return 65 }
    // The daemon has no schedule of this number.
    if command.contains("schedules --cancel") { return 69 }
    return command == "storectl ui" ? 64 : 0
  }
}
