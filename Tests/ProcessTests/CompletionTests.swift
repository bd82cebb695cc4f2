import Foundation
import GenericState
import StoreState
import Testing

@testable import StoreProtocol

/// A shell with completion.
enum CompletingShell: String, CaseIterable, Sendable {
  case bash
  case fish
  case zsh

  static let here = allCases.filter { installed($0.rawValue) != nil }

  /// Its arguments without the user's settings; it prints "at hand" when it accepts input.
  fileprivate func beginning(_ world: World, _ share: String) throws -> [String] {
    let ready = "PS1='> '; PS2=; echo at' 'hand"
    switch self {
    case .bash:
      let file = "\(world.directory)/bashrc"
      let lines = [
        "source '\(share)/bash-completion/completions/storectl'",
        "bind 'set show-all-if-ambiguous on'", "bind 'set completion-query-items 0'",
        "bind 'set page-completions off'", "bind 'set enable-bracketed-paste off'", ready,
      ]
      try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
      return ["--noprofile", "--rcfile", file, "-i"]
    case .fish:
      let source = "source '\(share)/fish/vendor_completions.d/storectl.fish'"
      return ["--no-config", "-i", "-C", "\(source); echo at' 'hand"]
    case .zsh:
      let lines = [
        "fpath=('\(share)/zsh/site-functions' $fpath)", "autoload -Uz compinit", "compinit -D -u",
        "LISTMAX=0", "unsetopt zle_bracketed_paste", "bindkey -e", ready,
      ]
      try lines.joined(separator: "\n").write(
        toFile: "\(world.directory)/.zshrc",
        atomically: true,
        encoding: .utf8,
      )
      return ["-i"]
    }
  }
}

/// A shell on a terminal, in which `storectl` is installed.
private struct ShellSession {
  private let terminal: TerminalProcess
  private let shell: CompletingShell

  init(_ shell: CompletingShell, _ world: World, prefix: String) async throws {
    self.shell = shell
    terminal = try TerminalProcess(
      world,
      program: installed(shell.rawValue),
      shell.beginning(world, "\(prefix)/share"),
      term: "xterm",
      width: 250,
      height: 50,
      environment: [
        "PATH": "\(prefix)/bin:/usr/bin:/bin", "STOREACTOR_DIR": world.directory,
        "HOME": world.directory, "ZDOTDIR": world.directory,
      ],
      // Bash echoes input on standard error.
      redirection: "2>&0",
    )
    _ = try await read(until: "at hand", behind: 0)
  }

  /// Waits until the shell has written a text; returns its output by then, without escape
  /// sequences.
  private func read(until text: String, behind count: Int) async throws -> Substring {
    try await terminal.written(text) { written in
      let new = plain(written).dropFirst(count)
      return new.contains(text) ? new : nil
    }
  }

  private func plain(_ text: String) -> String {
    text.replacing(/\u{1B}\][^\u{07}]*\u{07}|\u{1B}\[[0-9;?<>]*[a-zA-Z]|\u{1B}[^\[\]]/, with: "")
  }

  /// Runs a command, and waits for its end.
  func run(_ command: String) async throws {
    let start = plain(terminal.text).count
    terminal.type("\(command); echo it' 'is over\r")
    _ = try await read(until: "it is over", behind: start)
  }

  /// Types a line and the tabulator.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - listed: The texts that the shell lists then.
  /// - Returns: The completed line, and all visible output.
  /// - Throws: ``ProcessFailure`` if the shell makes no progress.
  func complete(_ line: String, listing listed: String...) async throws -> (String, seen: String) {
    let start = plain(terminal.text).count
    terminal.type("\(line)\t")
    for text in listed { _ = try await read(until: text, behind: start) }
    // `echo` prints the completed line.
    terminal.type("\u{01}echo line' 'is \u{05} 'and 'ends\r")
    let seen = try await read(until: "and ends", behind: start)
    let printed = try #require(seen.firstMatch(of: /line is (.*?) *and ends/)?.1)
    terminal.type("\u{15}")
    return (String(printed), String(seen))
  }
}

extension ProcessTests {
  /// The completions of the shells, each on a terminal of its own.
  @Suite struct CompletionTests {
    @Test(arguments: CompletingShell.here)
    func `A shell completes scopes, rows and actions of the daemon that runs`(
      shell: CompletingShell
    ) async throws {
      try await World.run { world in
        let prefix = try await install(world)
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        try await world.send("todos", #"{"addButtonTapped":{"title":"Milk"}}"#)
        let id = try #require(try await world.get("todos")["items"]?.items?.first?["id"]?.text)
        let session = try await ShellSession(shell, world, prefix: prefix)
        for (line, whole) in [
          ("storectl wa", "storectl watch"),
          ("storectl get cou", "storectl get counter"),
          ("storectl watch todos/items/", "storectl watch todos/items/\(id)"),
          ("storectl send counter inc", "storectl send counter incrementButtonTapped"),
          (
            "storectl send --trace f counter inc",
            "storectl send --trace f counter incrementButtonTapped",
          ),
          (
            "storectl send counter incrementButtonTapped de",
            "storectl send counter incrementButtonTapped decrementButtonTapped",
          ),
          ("storectl at 1 g", "storectl at 1 get"),
          ("storectl at 1 get cou", "storectl at 1 get counter"),
          ("storectl log --scope cou", "storectl log --scope counter"),
        ] {
          #expect(try await session.complete(line).0 == whole)
        }
        _ = try await session.complete("storectl watch ", listing: "counter", "todos", "presence")
        // An action with a payload is JSON, whose quotes a shell would remove.
        let (line, seen) = try await session.complete("storectl send todos ")
        #expect(!seen.contains("addButtonTapped") && line.hasPrefix("storectl send todos"))
      }
    }

    @Test(arguments: CompletingShell.here)
    func `A shell completes after options that precede the command's name`(
      shell: CompletingShell
    ) async throws {
      try await World.run { world in
        let prefix = try await install(world)
        // Not the daemon that the shell's variable names.
        let own = "\(world.directory)/own"
        let daemon = try world.start(.stored, ["--dir", own, "--in-memory"])
        _ = try await daemon.output.line("the daemon to be ready") { $0.hasPrefix("ready ") }
        let session = try await ShellSession(shell, world, prefix: prefix)
        let options = "storectl --json --dir \(own)"
        for (typed, whole) in [
          ("wa", "watch"), ("get cou", "get counter"),
          ("send counter inc", "send counter incrementButtonTapped"),
        ] {
          #expect(
            try await session.complete("\(options) \(typed)").0 == "\(options) \(whole)"
          )
        }
        #expect(try await session.complete("storectl --conn").0 == "storectl --connect")
      }
    }

    @Test(arguments: CompletingShell.here)
    func `A scope is completed where a directory has its name, and a directory as one`(
      shell: CompletingShell
    ) async throws {
      try await World.run { world in
        let prefix = try await install(world)
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        for name in ["counter", "places"] {
          try FileManager.default.createDirectory(
            atPath: "\(world.directory)/\(name)",
            withIntermediateDirectories: false,
          )
        }
        let session = try await ShellSession(shell, world, prefix: prefix)
        try await session.run("cd '\(world.directory)'")
        #expect(try await session.complete("storectl get cou").0 == "storectl get counter")
        let named = try await session.complete("storectl log --data pla").0
        // Zsh removes the slash before a blank.
        #expect(named == "storectl log --data places\(shell == .zsh ? "" : "/")")
        #expect(
          try await session.complete("storectl log --scope cou").0 == "storectl log --scope counter"
        )
      }
    }

    @Test(arguments: CompletingShell.here)
    func `A shell executes no part of a scope's name`(
      shell: CompletingShell
    ) async throws {
      try await World.run { world in
        let prefix = try await install(world)
        let made = "\(world.directory)/made"
        let document = try SchemaDocument(root: .null, definitions: [:])
        let commands = [
          "$(touch \(made))", "`touch \(made)`", "<(touch \(made))", "; touch \(made);",
          "\ntouch \(made)\n", "'; touch \(made); '", "\"; touch \(made); \"", "&touch \(made)",
          "(touch \(made))", "${(e):-$(touch \(made))}", "*(e:touch \(made):)",
        ]
        let others = [
          "$HOME", "~", "{a,b}", "a b", "a\\b", "'", "\"", "--dir", "z[touch]", "z\tmade", "",
        ]
        let names = ["counter", "rows/a:b", "rows/c"]
        let rows = (commands + others).map { "rows/\($0)" }
        let scopes = (names + commands + others + rows + commands.map { "counter\($0)" }).map {
          ScopeDescription(name: $0, state: document, action: document, id: nil)
        }
        let daemon = try await FalseDaemon(in: world.directory, scopes: scopes)
        let session = try await ShellSession(shell, world, prefix: prefix)
        var line = ""
        // A slow machine misses the time limit of a completion, and offers no names; then it is
        // repeated.
        for _ in 0..<50 where line != "storectl get counter" {
          line = try await session.complete("storectl get c").0
        }
        #expect(line == "storectl get counter")
        for text in ["storectl get ", "storectl watch rows/", "storectl watch counter"] {
          let seen = try await session.complete("\(text)\t\t").seen
          #expect(!seen.contains("touch"), "\(seen)")
        }
        // A colon separates a name from its description in zsh, and words in bash.
        let named = try await session.complete("storectl get rows/a").0
        #expect(named == "storectl get rows/a\(shell == .bash ? "" : ":b")")
        if shell == .bash {
          #expect(try await session.complete("storectl watch a:").0 == "storectl watch a:")
        }
        withExtendedLifetime(daemon) {}
        #expect(!FileManager.default.fileExists(atPath: made))
      }
    }

    @Test(arguments: CompletingShell.here)
    func `Without a daemon a shell completes silently and without candidates`(
      shell: CompletingShell
    ) async throws {
      try await World.run { world in
        let prefix = try await install(world)
        let session = try await ShellSession(shell, world, prefix: prefix)
        let (line, seen) = try await session.complete("storectl get cou")
        #expect(line == "storectl get cou")
        #expect(!seen.contains("Error") && !seen.contains("daemon"), "\(seen)")
      }
    }

    /// Runs the program's completion of a word after `storectl get`, as bash does.
    private func complete(
      _ world: World,
      _ word: String,
    ) async throws -> (names: [String], time: Duration) {
      let start = ContinuousClock.now
      let words = ["---completion", "get", "--", "positional@0", "2", "\(word.count)"]
      let run = try await world.finish(
        world.start(
          .storectl,
          words + ["storectl", "get", word],
          environment: ["SAP_SHELL": "bash", "STOREACTOR_DIR": world.directory],
        )
      )
      let time = ContinuousClock.now - start
      #expect(run.isSuccess && run.errors == [], "\(run)")
      return (run.output, time)
    }

    /// The shortest time of a completion without results; the first run reads the program from the
    /// disk.
    private func shortestSilence(_ world: World) async throws -> Duration {
      var times: [Duration] = []
      for _ in 0..<7 {
        let (names, time) = try await complete(world, "rows/")
        #expect(names == [])
        times.append(time)
      }
      return try #require(times.min())
    }

    @Test func `Without a daemon the answer to a shell is there at once`() async throws {
      try await World.run { world in
        let time = try await shortestSilence(world)
        #expect(time < .milliseconds(150) * TestPatience.load, "\(time)")
      }
    }

    @Test(arguments: Silence.allCases)
    func `A silent daemon keeps no shell waiting`(silence: Silence) async throws {
      try await World.run { world in
        let says: @Sendable (ClientMessage) -> [DaemonMessage]? = { message in
          switch (silence, message) {
          case (.everything, _), (.describe, .describe), (.rows, .rows): []
          case (.unknown, .rows): [.notUnderstood(kind: 13, message: "What?")]
          default: nil
          }
        }
        let scopes = [try Self.rows]
        let daemon = try await FalseDaemon(in: world.directory, scopes: scopes, says: says)
        let time = try await shortestSilence(world)
        #expect(time < .milliseconds(150) * TestPatience.load, "\(time)")
        withExtendedLifetime(daemon) {}
      }
    }

    /// The message at which a daemon stops to answer.
    enum Silence: CaseIterable, Sendable {
      case everything
      case describe
      case rows
      /// An earlier release, which does not know queries of rows.
      case unknown
    }

    private static var rows: ScopeDescription {
      get throws {
        let nothing = try SchemaDocument(root: .null, definitions: [:])
        let id = try SchemaDocument(root: .text, definitions: [:])
        return ScopeDescription(name: "rows", state: nothing, action: nothing, id: id)
      }
    }

    /// A daemon that answers queries of rows, and omits the answer if the closure returns nil.
    private func tellingRows(
      _ world: World,
      _ answer: @escaping @Sendable (RowQuery) -> RowAnswer?,
    ) async throws -> FalseDaemon {
      try await FalseDaemon(
        in: world.directory,
        scopes: [try Self.rows],
        says: { message in
          guard case .rows(let request, let query) = message else { return nil }
          guard let answer = answer(query) else { return [] }
          var encoder = CBOREncoder()
          answer.encode(to: &encoder)
          return [.rows(request: request, item: encoder.bytes[...])]
        },
      )
    }

    @Test func `Unrequested rows in a daemon's answer are not offered`() async throws {
      try await World.run { world in
        let asked = Watched<[RowQuery]>([])
        let answers = [
          RowAnswer(ids: ["other", "one", "o\u{1B}[2J", "o\no"], next: 5),
          RowAnswer(ids: (0..<300).map { "o\($0)" }, next: 1),
          RowAnswer(ids: ["onward"], next: nil),
        ]
        let daemon = try await tellingRows(world) { query in
          asked.update { $0.append(query) }
          return answers[min(asked.value.count - 1, 2)]
        }
        var names: [String] = []
        for _ in 0..<50 where names.count < 2 {
          asked.update { $0 = [] }
          names = try await complete(world, "rows/o").names
        }
        #expect(names.prefix(3) == ["rows/other", "rows/one", "rows/o0"] && names.count == 200)
        #expect(asked.value.map(\.start) == [0, 5] && asked.value.allSatisfy { $0.prefix == "o" })
        withExtendedLifetime(daemon) {}
      }
    }

    @Test func `Rows that were found are offered if the next answer is missing`() async throws {
      try await World.run { world in
        let daemon = try await tellingRows(world) { query in
          query.start == 0 ? RowAnswer(ids: ["one", "other"], next: 2) : nil
        }
        var names: [String] = []
        // A slow machine misses the time limit of a completion, and offers no names; then it is
        // repeated.
        for _ in 0..<50 where names.isEmpty { names = try await complete(world, "rows/o").names }
        #expect(names == ["rows/one", "rows/other"])
        withExtendedLifetime(daemon) {}
      }
    }

    @Test func `A daemon whose answers never end is asked a limited number of times`() async throws
    {
      try await World.run { world in
        let asked = Watched(0 as UInt64)
        let daemon = try await tellingRows(world) { query in
          asked.update { $0 += 1 }
          return RowAnswer(ids: ["no"], next: query.start + 1)
        }
        let (names, _) = try await complete(world, "rows/o")
        #expect(names == [] && asked.value <= 60, "\(names) \(asked.value)")
        withExtendedLifetime(daemon) {}
      }
    }

    @Test func `The first two hundred rows are offered, found by their typed beginning`()
      async throws
    {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let lines = "\(world.directory)/lines"
        let line = #"{"addButtonTapped":{"title":"Milk"}}"#
        try String(repeating: line + "\n", count: 300)
          .write(toFile: lines, atomically: true, encoding: .utf8)
        let sender = try world.start(
          .storectl,
          ["--dir", world.directory, "send", "todos", "-"],
          script: #"exec "$0" "$@" < \#(lines)"#,
        )
        #expect(try await world.finish(sender, within: .seconds(60)).isSuccess)
        let items = try #require(try await world.get("todos")["items"]?.items)
        let ids = items.compactMap { $0["id"]?.text }
        let digit = try #require(ids.last?.prefix(2))
        for (typed, count) in [("", 200), (digit, 300)] {
          let expected = ids.filter { $0.hasPrefix(typed) }.prefix(count)
          var names: [String] = []
          // A slow machine misses the time limit of a completion, and offers no names; then it is
          // repeated.
          for _ in 0..<50 where names.count < expected.count {
            names = try await complete(world, "todos/items/\(typed)").names
          }
          #expect(names == expected.map { "todos/items/\($0)" })
        }
      }
    }
  }
}
