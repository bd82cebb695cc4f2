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
    #expect(lax.output.contains("1 goals missed, 1 figures worse than their budget"))
    let strict = try run(
      "budgets",
      ["check", figures.path()],
      settings.merging(["STRICT": "1"]) { $1 },
    )
    #expect(strict.status == 1)
  }

  @Test("Refreshing writes the figures with their slack, and leaves the rest alone")
  func refresh() throws {
    let budgets = try file(budgets)
    let figures = try file([["large", "9", "", "", ""], ["free", "2", "", "", ""]])
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
      "CHANGE_COUNT": "20", "CHANGE_ROUNDS": "1", "FLEET_CLIENTS": "3", "FLEET_COUNT": "20",
      "MEMORY_ROUNDS": "1", "MEMORY_FEW": "2", "MEMORY_MORE": "3", "STRICT": "0",
      "BIN": programs, "FIGURES": figures.path(),
    ]
    let result = try run("run", ["floor-ratios", "host", "fleet"], sizes)
    try #require(result.status == 0, "\(result.output)")
    let found = try String(contentsOf: figures, encoding: .utf8).split(separator: "\n")
      .compactMap { $0.split(separator: "\t").first.map(String.init) }
    let expected: Set = [
      "latency", "throughput", "get", "change-time", "join-turn", "join-bytes", "delta-bytes",
      "versions", "encode", "decode", "fan-out", "fan-out-encodings", "client-memory",
    ]
    #expect(Set(found).isSuperset(of: expected))
  }
  #endif
}
