import Foundation
import GenericState
import StoreState
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension ProcessTests {
  /// The output of `--trace`: from a client through the daemon to the actions of effects.
  @Suite(.timeLimit(.minutes(2))) struct TraceTests {
    private struct Span {
      let service: String
      let trace: String
      let id: String
      let parent: String?
      let name: String

      init(_ line: String) throws {
        let resource = try #require(try JSONValue(parsing: line)["resourceSpans"]?.items?.first)
        let attributes = resource["resource"]?["attributes"]?.items
        let span = try #require(
          resource["scopeSpans"]?.items?.first?["spans"]?.items?.first
        )
        service = try #require(attributes?.first?["value"]?["stringValue"]?.text)
        trace = try #require(span["traceId"]?.text)
        id = try #require(span["spanId"]?.text)
        parent = span["parentSpanId"]?.text
        name = try #require(span["name"]?.text)
        let times = ["startTimeUnixNano", "endTimeUnixNano"].map { name in
          span[name]?.text.flatMap { UInt64($0) } ?? 0
        }
        #expect(times[0] > 0 && times[0] <= times[1], "\(line)")
        #expect(trace.utf8.count == 32 && id.utf8.count == 16, "\(line)")
      }
    }

    private func spans(_ path: String) throws -> [Span] {
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        .map { try Span(String($0)) }
    }

    @Test(.enabled(if: OtherUsers.canBeActed, "only root can give files away"))
    func `Traces are not written to a path that another user could have chosen`() async throws {
      try await World.run { world in
        let victim = "\(world.directory)/victim"
        try Data("kept".utf8).write(to: URL(filePath: victim))
        let shared = "\(world.directory)/shared"
        try #require(mkdir(shared, 0o700) == 0 && chmod(shared, 0o1777) == 0)
        try #require(symlink(victim, "\(shared)/spans") == 0)
        try #require(lchown("\(shared)/spans", OtherUsers.ann, OtherUsers.ann) == 0)
        let foreign = "\(world.directory)/foreign"
        try #require(mkdir(foreign, 0o755) == 0)
        try #require(chown(foreign, OtherUsers.ann, OtherUsers.ann) == 0)
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let other = world.directory + "/other"
        for path in ["\(shared)/spans", "\(foreign)/spans"] {
          let run = try await world.client(
            "send",
            "counter",
            "incrementButtonTapped",
            "--trace",
            path,
          )
          #expect(run.end == .status(77), "\(run)")
          #expect(run.errorText.contains("belongs to user \(OtherUsers.ann)"), "\(run.errorText)")
          let arguments = ["--dir", other, "--in-memory", "--trace", path]
          let stored = try await world.finish(world.start(.stored, arguments))
          #expect(stored.end == .status(77), "\(stored)")
          #expect(stored.errorText.contains("--trace"), "\(stored.errorText)")
        }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "kept")
        #expect(access("\(foreign)/spans", F_OK) != 0)
        #expect(try await world.get("counter")["count"] == 0)
      }
    }

    @Test func `A client's action, its effect and the effect's actions are one tree`() async throws
    {
      try await World.run { world in
        let path = "\(world.directory)/spans"
        let service = try FactService("200 OK", body: "0 is nothing.")
        let daemon = try await world.startDaemon(
          .stored,
          ["--in-memory", "--number-fact-url", service.url, "--trace", path],
        )
        let run = try await world.client(
          "send",
          "counter",
          "numberFactButtonTapped",
          "--finish",
          "--trace",
          path,
        )
        #expect(run.isSuccess, "\(run.errorText)")
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))

        let all = try spans(path)
        let sent = try #require(all.first { $0.service == "storectl" })
        #expect(sent.name == "send counter" && sent.parent == nil)
        let tree = all.filter { $0.trace == sent.trace }
        func child(of parent: Span, _ name: String) throws -> Span {
          let found = tree.filter { $0.parent == parent.id }
          #expect(found.count == 1 && found.first?.service == "stored", "\(tree)")
          let child = try #require(found.first)
          #expect(child.name.contains(name), "\(child)")
          return child
        }
        let reduced = try child(of: sent, "numberFactButtonTapped")
        let effect = try child(of: reduced, "effect of ")
        let response = try child(of: effect, "numberFactResponse")
        #expect(tree.count == 4 && !tree.contains { $0.parent == response.id }, "\(tree)")
      }
    }

    @Test func `An action that no client's span is for begins a tree of its own`() async throws {
      try await World.run { world in
        let path = "\(world.directory)/spans"
        let daemon = try await world.startDaemon(.stored, ["--in-memory", "--trace", path])
        try await world.send("counter", "incrementButtonTapped", "decrementButtonTapped")
        daemon.send(signal: SIGTERM)
        #expect(try await daemon.ended() == .status(0))
        let reduced = try spans(path).filter { $0.name.contains("ButtonTapped") }
        #expect(reduced.count == 2 && reduced.allSatisfy { $0.parent == nil }, "\(reduced)")
        #expect(Set(reduced.map(\.trace)).count == 2)
      }
    }

    @Test func `Without a tracer a daemon reads the span's context`() async throws {
      try await World.run { world in
        let path = "\(world.directory)/spans"
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let actions = ["incrementButtonTapped", "incrementButtonTapped"]
        let run = try await world.client(["send", "counter", "--trace", path] + actions)
        #expect(run.isSuccess, "\(run.errorText)")
        #expect(try spans(path).map(\.name) == ["send counter", "send counter"])
        #expect(try await world.get("counter")["count"] == 2)
      }
    }

    @Test func `A line without room spoils no later line`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let path = "\(world.directory)/spans"
        // The file has a limit of some hundred bytes: the rest of a line is lost.
        let sender = try world.start(
          .storectl,
          ["--dir", world.directory, "send", "counter", "-", "--trace", path],
          script: #"trap '' XFSZ; ulimit -f 2; exec "$0" "$@""#,
        )
        sender.write(lines: Array(repeating: "incrementButtonTapped", count: 16))
        _ = try await sender.errors.line("the lost spans") { $0.contains("are lost") }
        _ = try await sender.output.lines(atLeast: 16)
        #expect(truncate(path, 0) == 0)
        sender.write(lines: ["incrementButtonTapped"])
        sender.closeInput()
        #expect(try await sender.ended() == .status(0))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("\n{"), "\(text)")
        // Later lines may also have been cut off.
        let whole = try #require(text.split(separator: "\n").first)
        #expect(try Span(String(whole)).name == "send counter")
      }
    }

    @Test func `A program without standard output has no effect, not even spans`() async throws {
      try await World.run { world in
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let path = "\(world.directory)/spans"
        let arguments = ["send", "counter", "incrementButtonTapped", "--trace", path]
        let sender = try world.start(
          .storectl,
          ["--dir", world.directory] + arguments,
          script: #"exec "$0" "$@" >&-"#,
        )
        let run = try await world.finish(sender)
        #expect(run.end == .status(74) && run.errorText.contains("Standard output is closed"))
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await world.get("counter")["count"] == 0)
      }
    }

    @Test func `A file that cannot be written is reported`() async throws {
      try await World.run { world in
        let arguments = ["--dir", world.directory, "--trace", "/nowhere/spans"]
        let daemon = try await world.finish(world.start(.stored, arguments))
        #expect(daemon.end == .status(73) && daemon.errorText.contains("/nowhere/spans"))
        _ = try await world.startDaemon(.stored, ["--in-memory"])
        let sent = ["send", "counter", "incrementButtonTapped", "--trace", "/nowhere/spans"]
        let client = try await world.client(sent)
        #expect(client.end == .status(74) && client.errorText.contains("/nowhere/spans"))
        #expect(try await world.get("counter")["count"] == 0)
      }
    }
  }
}
