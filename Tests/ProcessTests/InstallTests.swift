import Foundation
import GenericState
import StoreReplication
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Where a program of the system is; nil where it is not.
private func installed(_ program: String) -> String? {
  ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(program)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

extension ProcessTests {
  /// What `make install` makes of the programs that were built.
  @Suite struct InstallTests {
    private static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scripts")

    private func install(_ world: World, as name: String = "usr") async throws -> String {
      let folder = try (Program.stored.path as NSString).deletingLastPathComponent
      let prefix = "\(world.directory)/\(name)"
      let run = try await world.run("\(Self.scripts.path)/install", folder, prefix)
      #expect(run.isSuccess && run.output == [], "\(run.output) \(run.errorText)")
      return prefix
    }

    @Test func `Programs, pages, completions and the unit are installed`() async throws {
      try await World.run { world in
        let prefix = try await install(world)
        for path in [
          "bin/stored", "bin/storectl", "share/man/man1/stored.1", "share/man/man1/storectl.1",
          "share/man/man1/storectl-watch.1", "share/man/man1/stored-config.1",
          "share/bash-completion/completions/storectl", "share/zsh/site-functions/_storectl",
          "share/fish/vendor_completions.d/stored.fish", "lib/systemd/user/stored.service",
        ] {
          let text = try #require(FileManager.default.contents(atPath: "\(prefix)/\(path)"))
          #expect(!text.isEmpty, "\(path)")
        }
        #expect(try await world.run("\(prefix)/bin/storectl", "--help").isSuccess)
        let unit = try String(
          contentsOfFile: "\(prefix)/lib/systemd/user/stored.service",
          encoding: .utf8,
        )
        #expect(unit.contains("ExecStart=\(prefix)/bin/stored\n") && !unit.contains("@PREFIX@"))
        let page = try String(
          contentsOfFile: "\(prefix)/share/man/man1/storectl-send.1",
          encoding: .utf8,
        )
        for part in [".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", #".B \-\-timeout <seconds>"#] {
          #expect(page.contains(part), "\(part)")
        }
      }
    }

    @Test func `The unit keeps the state where the system does, unless the settings say where`()
      async throws
    {
      try await World.run { world in
        let prefix = try await install(world)
        let unit = try String(
          contentsOfFile: "\(prefix)/lib/systemd/user/stored.service",
          encoding: .utf8,
        )
        var environment = ["XDG_RUNTIME_DIR": world.directory]
        for line in unit.split(separator: "\n") where line.hasPrefix("Environment=") {
          let parts = line.split(separator: "=").map(String.init)
          try #require(parts.count == 3)
          environment[parts[1]] = parts[2].replacing("%S", with: "/state")
        }
        for (json, data) in [
          ("{}", "/state/storeactor"), (#"{"data": "/elsewhere"}"#, "/elsewhere"),
          (#"{"inMemory": true}"#, ""),
        ] {
          let path = "\(world.directory)/settings.json"
          try json.write(toFile: path, atomically: true, encoding: .utf8)
          let run = try await world.finish(
            world.start(.stored, ["config", "--config", path], environment: environment)
          )
          #expect(run.isSuccess, "\(run.errorText)")
          let value = try JSONValue(parsing: run.output.joined())["data"]?["value"]?.text
          #expect(value == data)
        }
      }
    }

    /// All of `make install` but the compiler's part, for a package's folder.
    @Test(.enabled(if: installed("make") != nil && installed("strip") != nil))
    func `What make installs in a package's folder is for where the package goes`() async throws {
      try await World.run { world in
        let folder = try (Program.stored.path as NSString).deletingLastPathComponent
        let root = "\(world.directory)/package root"
        let make = try world.start(
          path: try #require(installed("make")),
          [
            "-C", Self.scripts.deletingLastPathComponent().path, "install", "SWIFT=true",
            "RELEASE=\(folder)", "PREFIX=/opt/store", "DESTDIR=\(root)",
          ],
          environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"],
        )
        let installing = try await world.finish(make, within: .seconds(120))
        #expect(installing.isSuccess, "\(installing.errorText)")
        let prefix = "\(root)/opt/store"
        let unit = "\(prefix)/lib/systemd/user/stored.service"
        let text = try String(contentsOfFile: unit, encoding: .utf8)
        #expect(text.contains("ExecStart=/opt/store/bin/stored\n") && !text.contains(root))
        // What was installed runs, and without what debuggers want.
        let program = "\(prefix)/bin/stored"
        let stored = try Program.stored.path
        let sizes = try [program, stored].map { path in
          try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
        #expect(sizes[0] > 0 && sizes[0] < sizes[1], "\(sizes)")
        let daemon = try world.start(path: program, ["--dir", world.directory, "--in-memory"])
        _ = try await daemon.output.lines(atLeast: 1)
        let get = try await world.run(
          "\(prefix)/bin/storectl",
          "--dir",
          world.directory,
          "get",
          "counter",
        )
        #expect(get.isSuccess, "\(get.errorText)")
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
      }
    }

    @Test(.enabled(if: installed("systemd-analyze") != nil), arguments: ["usr", "a & b|c%d"])
    func `systemd has nothing to say against the unit`(folder: String) async throws {
      try await World.run { world in
        let prefix = try await install(world, as: folder)
        let analyze = try #require(installed("systemd-analyze"))
        let unit = "\(prefix)/lib/systemd/user/stored.service"
        let verify = try world.start(
          path: analyze,
          ["verify", "--user", "--man=no", unit],
          environment: ["XDG_RUNTIME_DIR": world.directory, "HOME": world.directory],
        )
        let run = try await world.finish(verify)
        #expect(run.isSuccess, "\(run.errorText)")
        #expect(!run.errorText.contains("stored.service"), "\(run.errorText)")
      }
    }

    @Test func `A prefix may have any characters, and everybody may use what is there`()
      async throws
    {
      try await World.run { world in
        let folder = try (Program.stored.path as NSString).deletingLastPathComponent
        let prefix = "\(world.directory)/a & b|c"
        let script = #"umask 077; exec "$0" "$@""#
        let install = try world.start(
          path: "/bin/sh",
          ["-c", script, "\(Self.scripts.path)/install", folder, prefix],
          environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"],
        )
        let run = try await world.finish(install)
        #expect(run.isSuccess, "\(run.errorText)")
        let unit = "\(prefix)/lib/systemd/user/stored.service"
        let start = #"ExecStart=\#(world.directory)/a\x20&\x20b|c/bin/stored"#
        let text = try String(contentsOfFile: unit, encoding: .utf8)
        #expect(text.split(separator: "\n").contains { $0 == start }, "\(text)")
        for path in ["bin", "bin/stored", "share/man/man1/stored.1", "lib/systemd/user"] {
          let attributes = try FileManager.default.attributesOfItem(atPath: "\(prefix)/\(path)")
          let mode = try #require(attributes[.posixPermissions] as? Int)
          #expect(mode & 0o044 == 0o044, "\(path) \(String(mode, radix: 8))")
        }
      }
    }

    @Test(.enabled(if: installed("groff") != nil))
    func `A formatter has nothing to say against a page`() async throws {
      try await World.run { world in
        let prefix = try await install(world)
        let groff = try #require(installed("groff"))
        let pages = "\(prefix)/share/man/man1"
        for name in try FileManager.default.contentsOfDirectory(atPath: pages) {
          let run = try await world.run(
            groff,
            "-Kutf8",
            "-man",
            "-Tutf8",
            "-ww",
            "-z",
            "\(pages)/\(name)",
          )
          #expect(run.isSuccess && run.errors == [], "\(name): \(run.errorText)")
        }
      }
    }

    // MARK: - Completions

    /// What bash would offer for the last word of a line.
    private func bash(_ world: World, _ prefix: String, _ line: String) async throws -> [String] {
      let script = #"""
        source "$1/share/bash-completion/completions/storectl"
        COMP_LINE=$2; COMP_POINT=${#COMP_LINE}; IFS=' ' read -ra COMP_WORDS <<<"$2"
        [[ $2 == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _storectl storectl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
        """#
      let shell = try world.start(
        path: "/bin/bash",
        ["-c", script, "bash", prefix, line],
        environment: ["PATH": "\(prefix)/bin:/usr/bin:/bin", "STOREACTOR_DIR": world.directory],
      )
      let run = try await world.finish(shell)
      #expect(run.errors == [], "\(line): \(run.errorText)")
      return run.output
    }

    @Test(.enabled(if: installed("bash") != nil))
    func `A shell completes scopes, rows and actions of the daemon that runs`() async throws {
      try await World.run { world in
        let prefix = try await install(world)
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        try await world.send("todos", #"{"addButtonTapped":{"title":"Milk"}}"#)
        let id = try #require(try await world.get("todos")["items"]?.items?.first?["id"]?.text)
        #expect(try await bash(world, prefix, "storectl get cou") == ["counter"])
        let all = try await bash(world, prefix, "storectl watch ")
        #expect(all.contains("todos") && all.contains("todos/items/"))
        let row = try await bash(world, prefix, "storectl get todos/items/")
        #expect(row == ["todos/items/\(id)"])
        let actions = try await bash(world, prefix, "storectl send counter inc")
        #expect(actions == ["incrementButtonTapped"])
        let next = try await bash(world, prefix, "storectl send counter incrementButtonTapped de")
        #expect(next == ["decrementButtonTapped"])
        let traced = try await bash(world, prefix, "storectl send --trace f counter inc")
        #expect(traced == ["incrementButtonTapped"])
        // What has a payload is JSON, of which a shell would take the quotes.
        #expect(
          !(try await bash(world, prefix, "storectl send todos ")).contains("addButtonTapped")
        )
        #expect(try await bash(world, prefix, "storectl wa") == ["watch"])
      }
    }

    @Test(.enabled(if: installed("bash") != nil))
    func `A shell runs nothing of what a daemon calls its scopes`() async throws {
      try await World.run { world in
        let prefix = try await install(world)
        let made = "\(world.directory)/made"
        let document = try SchemaDocument(root: .null, definitions: [:])
        let names = [
          "counter", "$(touch \(made))", "`touch \(made)`", "<(touch \(made))", "$HOME", "~",
          "{a,b}", "a b", "a\\b", "'", "--dir",
        ]
        let scopes = names.map {
          ScopeDescription(name: $0, state: document, action: document, id: nil)
        }
        let daemon = try await FalseDaemon(in: world.directory, scopes: scopes)
        var offered: [String] = []
        // Nothing is offered where the machine takes too long for who has pressed a key.
        for _ in 0..<50 where offered == [] {
          offered = try await bash(world, prefix, "storectl get ")
        }
        withExtendedLifetime(daemon) {}
        #expect(offered == ["counter"])
        #expect(!FileManager.default.fileExists(atPath: made))
      }
    }

    @Test(.enabled(if: installed("bash") != nil))
    func `Without a daemon a shell completes nothing, in silence and at once`() async throws {
      try await World.run { world in
        let prefix = try await install(world)
        let clock = ContinuousClock()
        for round in 0..<3 {
          let start = clock.now
          #expect(try await bash(world, prefix, "storectl get cou") == [])
          // The first run reads the programs from the disk.
          #expect(round == 0 || clock.now - start < .seconds(1), "\(clock.now - start)")
        }
      }
    }

    // Where they are not installed there is nobody to read them, and the tests say so.
    @Test(.enabled(if: installed("zsh") != nil))
    func `zsh can read its completions`() async throws {
      try await reads("zsh", "zsh/site-functions/_storectl", "zsh/site-functions/_stored")
    }

    @Test(.enabled(if: installed("fish") != nil))
    func `fish can read its completions`() async throws {
      let folder = "fish/vendor_completions.d"
      try await reads("fish", "\(folder)/storectl.fish", "\(folder)/stored.fish")
    }

    private func reads(_ shell: String, _ files: String...) async throws {
      try await World.run { world in
        let prefix = try await install(world)
        let path = try #require(installed(shell))
        for file in files {
          let run = try await world.run(path, "-n", "\(prefix)/share/\(file)")
          #expect(run.isSuccess && run.errors == [], "\(run.errorText)")
        }
      }
    }
  }
}
