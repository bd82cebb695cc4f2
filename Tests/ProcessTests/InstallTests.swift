import Foundation
import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The path of a program of the system; nil if it is not installed.
func installed(_ program: String) -> String? {
  ["/usr/bin", "/bin", "/usr/local/bin"].map { "\($0)/\(program)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

private let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scripts")

/// Installs the built programs into a folder of a world's directory.
///
/// - Returns: The prefix.
func install(_ world: World, as name: String = "usr") async throws -> String {
  let folder = try (Program.stored.path as NSString).deletingLastPathComponent
  let prefix = "\(world.directory)/\(name)"
  let run = try await world.run("\(scripts.path)/install", folder, prefix)
  #expect(run.isSuccess && run.output == [], "\(run.output) \(run.errorText)")
  return prefix
}

extension ProcessTests {
  /// The results of `make install`.
  @Suite struct InstallTests {
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

    @Test(arguments: [Program.stored, .storectl])
    func `The page of a program names the commands and the statuses of its help`(
      program: Program
    ) async throws {
      try await World.run { world in
        let folder = "\(try await install(world))/share/man/man1"
        let help = try await world.finish(world.start(program, ["--help"])).output
        let page = try String(contentsOfFile: "\(folder)/\(program.rawValue).1", encoding: .utf8)
        let commands = help.drop { $0 != "SUBCOMMANDS:" }.dropFirst().prefix { !$0.isEmpty }
          .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
          .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(commands.count >= 3)
        for command in commands {
          #expect(page.contains(".B \(command.replacing("-", with: "\\-"))\n"), "\(command)")
          let own = "\(folder)/\(program.rawValue)-\(command).1"
          #expect(FileManager.default.fileExists(atPath: own), "\(command)")
        }
        func statuses(_ text: String) -> Set<Int> {
          Set(text.split { !$0.isNumber }.compactMap { Int($0) }).intersection(64...78)
        }
        let told = statuses(help.joined(separator: "\n"))
        #expect(told.count >= 7 && statuses(page) == told)
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

    /// All of `make install` except the build, for a package's folder.
    @Test(.enabled(if: installed("make") != nil && installed("strip") != nil))
    func `Files that make installs in a package's folder refer to the final prefix`() async throws {
      try await World.run { world in
        let folder = try (Program.stored.path as NSString).deletingLastPathComponent
        let root = "\(world.directory)/package root"
        let make = try world.start(
          path: try #require(installed("make")),
          [
            "-C", scripts.deletingLastPathComponent().path, "install", "SWIFT=true",
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
        // The installed program runs, and has no debug symbols.
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
    func `systemd accepts the unit`(folder: String) async throws {
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

    @Test func `A prefix may have any characters, and all users may use its files`() async throws {
      try await World.run { world in
        let folder = try (Program.stored.path as NSString).deletingLastPathComponent
        let prefix = "\(world.directory)/a & b|c"
        let script = #"umask 077; exec "$0" "$@""#
        let install = try world.start(
          path: "/bin/sh",
          ["-c", script, "\(scripts.path)/install", folder, prefix],
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
    func `A formatter accepts a page`() async throws {
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
  }
}
