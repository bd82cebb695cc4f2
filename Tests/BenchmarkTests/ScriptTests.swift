import Foundation
import Testing

/// The scripts under Benchmarks, run as a developer runs them.
@Suite(.timeLimit(.minutes(5)))
struct ScriptTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private struct Outcome {
    var status: Int32
    var output: String
  }

  private func run(
    _ script: String,
    _ arguments: [String],
    _ settings: [String: String] = [:],
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = Self.root.appending(path: "Benchmarks/\(script)")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(settings) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus,
      output: String(decoding: output, as: UTF8.self),
    )
  }

  /// A file with such lines, tabs between the fields.
  private func file(_ lines: [[String]]) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID()).tsv")
    let text = lines.map { $0.joined(separator: "\t") + "\n" }.joined()
    try text.write(to: url, atomically: true, encoding: .utf8)
    return url
  }

  private let budgets = [
    ["# a comment"],
    ["small", "at-most", "10", "5", "0", "something small"],
    ["large", "at-least", "10", "-", "20", "something large"],
    ["free", "at-most", "-", "3", "50", "something without a goal"],
  ]

  @Test("A figure is compared with its goal and its budget")
  func check() throws {
    let budgets = try file(budgets)
    let figures = try file([["small", "7", "6", "8", "a note"], ["large", "9", "", "", ""]])
    defer { for url in [budgets, figures] { try? FileManager.default.removeItem(at: url) } }
    let settings = ["BUDGETS": budgets.path(), "STRICT": "0"]
    let lax = try run("budgets", ["check", figures.path()], settings)
    #expect(lax.status == 0)
    #expect(lax.output.contains("met WORSE"))
    #expect(lax.output.contains("a note"))
    #expect(lax.output.contains("missed"))
    #expect(!lax.output.contains("without a goal"))
    #expect(
      lax.output.contains("1 goals missed, 0 not measured, 1 figures worse than their budget")
    )
  }

  struct Strict: Sendable {
    var figure: [String]
    var fails: Bool
  }

  @Test(
    "STRICT fails for a goal that was missed or not measured and for a broken budget, only then",
    arguments: [
      Strict(figure: ["small", "4", "", "", ""], fails: false),
      Strict(figure: ["small", "11", "", "", ""], fails: true),
      Strict(figure: ["small", "7", "", "", ""], fails: true),
      Strict(figure: ["large", "9", "", "", ""], fails: true),
      Strict(figure: ["large", "12", "", "", ""], fails: false),
      Strict(figure: ["large", "-", "", "", "needs a tool"], fails: true),
      Strict(figure: ["free", "4", "", "", ""], fails: true),
      Strict(figure: ["free", "-", "", "", "needs a tool"], fails: false),
      Strict(figure: ["stranger", "4", "", "", ""], fails: false),
    ],
  )
  func strict(_ strict: Strict) throws {
    let budgets = try file(budgets)
    let figures = try file([strict.figure])
    defer { for url in [budgets, figures] { try? FileManager.default.removeItem(at: url) } }
    let settings = ["BUDGETS": budgets.path(), "STRICT": "1"]
    let result = try run("budgets", ["check", figures.path()], settings)
    #expect(result.status == (strict.fails ? 1 : 0), "\(result.output)")
    #expect(result.output.contains("unknown") == (strict.figure[1] == "-"))
    #expect(
      try run("budgets", ["check", figures.path()], ["BUDGETS": budgets.path(), "STRICT": "0"])
        .status == 0
    )
  }

  @Test("Every row of the committed budgets has its columns, and every goal its budget")
  func committed() throws {
    let url = Self.root.appending(path: "Benchmarks/budgets.tsv")
    let rows = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    #expect(Set(rows.map(\.[0])).count == rows.count)
    for row in rows {
      try #require(row.count == 6, "\(row)")
      #expect(["at-most", "at-least"].contains(row[1]), "\(row)")
      if row[2] != "-" {
        #expect(Double(row[2]) != nil && Double(row[3]) != nil, "\(row)")
      }
      #expect(Double(row[4]) != nil && !row[5].isEmpty, "\(row)")
    }
  }

  @Test("Refreshing writes the figures with their slack, and leaves the rest alone")
  func refresh() throws {
    let budgets = try file(budgets)
    let figures = try file([
      ["large", "9", "", "", ""], ["free", "2", "", "", ""],
      ["small", "-", "", "", "needs a tool"],
    ])
    defer { for url in [budgets, figures] { try? FileManager.default.removeItem(at: url) } }
    let result = try run("budgets", ["refresh", figures.path()], ["BUDGETS": budgets.path()])
    #expect(result.status == 0, "\(result.output)")
    let lines = try String(contentsOf: budgets, encoding: .utf8).split(separator: "\n")
    #expect(lines[0] == "# a comment")
    #expect(lines[1].contains("\t5\t"))
    #expect(lines[2].contains("\t10\t7.2\t"))
    #expect(lines[3].contains("\t-\t3\t50\t"))
  }

  @Test("Wrong arguments are usage errors")
  func usage() throws {
    #expect(try run("budgets", ["check"]).status == 64)
    #expect(try run("run", ["everything"]).status == 64)
    #expect(try run("budgets", ["check", "/nowhere"]).status == 66)
  }

  #if os(Linux)
  @Test("A whole run, with tiny sizes, has a figure for every row of the table")
  func wholeRun() throws {
    let figures = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID()).tsv")
    defer { try? FileManager.default.removeItem(at: figures) }
    let programs = Bundle.main.bundlePath
    let sizes = [
      "PAIRS": "1", "LATENCY_COUNT": "20", "THROUGHPUT_COUNT": "200", "GET_COUNT": "1",
      "STORE_ROUNDS": "1", "MANY_ROWS": "200", "FEW_ROWS": "20", "JOIN_ROWS": "500",
      "CHANGE_COUNT": "20", "CHANGE_ROUNDS": "1", "FLEET_CLIENTS": "3", "FLEET_COUNT": "10",
      "FLEET_ROUNDS": "1", "FAN_COUNTED": "10", "MEMORY_ROUNDS": "1", "MEMORY_FEW": "2",
      "MEMORY_MORE": "3", "WRITE_COUNT": "20", "UI_ROUNDS": "1", "UI_COUNT": "20",
      "RETURN_ROUNDS": "1", "RETURN_CLIENTS": "6", "RETURN_EARLIER": "600", "WIRE_COUNT": "100",
      "STATE_ROUNDS": "1",
      "STATE_OPERATIONS": "40", "OPEN_COUNT": "100",
      "STATE_ROWS": "40", "FOLLOWED_ROWS": "5", "SNAPSHOT_MIB": "1 2 3", "SNAPSHOT_JOINERS": "3",
      "DURABLE_COUNT": "200", "DURABLE_LATENCY_COUNT": "20", "TOGGLE_COUNT": "500",
      "KEPT_ROWS": "200", "STRICT": "0", "BIN": programs, "FIGURES": figures.path(),
    ]
    let parts = ["floor-ratios", "durable", "host", "fleet", "ui", "curve", "store", "state"]
    let result = try run("run", parts, sizes)
    try #require(result.status == 0, "\(result.output)")
    let found = try String(contentsOf: figures, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.split(separator: "\t").first.map(String.init) }
    let expected: Set = [
      "latency", "throughput", "latency-busy", "throughput-busy", "get", "change-time", "join-turn",
      "join-bytes", "delta-bytes",
      "versions", "encode", "decode", "decode-identified", "fan-out", "fan-out-encodings",
      "client-memory", "return-time", "return-snapshots", "return-turn", "small-read",
      "small-change", "iterate", "build", "bare-versions",
      "row-scopes", "row-clients", "snapshot-small-one", "snapshot-large-one",
      "snapshot-small-many", "snapshot-large-many", "snapshot-turn", "snapshot-memory",
      "observed-row", "observed-rows", "observed-row-of-rows", "plain-destination", "send-refused",
      "refused-ipc",
      "start-up", "send-depth-3-instructions", "shared-elsewhere", "shared-depth-3", "send-shared",
      "send-shared-other", "send-shared-rows-1000", "send-shared-rows-1000-row",
      "send-shared-rows-1000-other", "open-memory", "open-scopes",
      // Or why they cannot be counted here.
      "change-instructions", "fan-out-instructions", "join-load-p50", "join-load-p99",
      "durable-throughput", "durable-redis-throughput", "durable-redis-latency",
      "durable-append-latency", "commit-p99", "journal-size", "recovery", "snapshot-read",
      "torn-start",
      "curve-latency", "curve-throughput", "curve-cpu", "get-redis", "ui-typed", "ui-tree",
      "ui-searched",
      "ui-typed-p99", "ui-tree-p99",
    ]
    #expect(Set(found).isSuperset(of: expected))
  }
  #endif
}
