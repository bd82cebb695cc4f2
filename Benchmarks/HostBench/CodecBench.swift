import Foundation
import GenericState
import StoreActor
import StoreState
import StoredWorkspace

/// Encodes and decodes rows in the wire form, compared with the same rows as JSON by Foundation.
///
/// Both produce a plain array of the rows. Results are freed outside of the measurement.
@MainActor
enum CodecBench {
  static func run(_ arguments: inout Arguments) throws {
    let rows = arguments.number("--rows", or: 20_000)
    try figures(rows: rows, rounds: arguments.number("--rounds", or: 7)).printLine()
  }

  private struct JSONRow: Codable {
    var id: UUID
    var title: String
    var isCompleted: Bool
  }

  static func figures(rows count: Int, rounds: Int) throws -> Figures {
    let identified = BenchDaemon.todos(count).items
    let rows = Array(identified)
    let json = rows.map { JSONRow(id: $0.id, title: $0.title, isCompleted: $0.isCompleted) }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let text = try encoder.encode(json)
    let bytes = rows.encoded()
    var turns = Turns()
    for _ in 0..<rounds {
      turns.take("encode", bytes.count) { rows.encoded() }
      try turns.take("json_encode", text.count) { try encoder.encode(json) }
      try turns.take("decode", bytes.count) { try [Todo.State](encoded: bytes) }
      try turns.take("json_decode", text.count) { try decoder.decode([JSONRow].self, from: text) }
      turns.take("identified_encode", bytes.count) { identified.encoded() }
      try turns.take("identified_decode", bytes.count) {
        try IdentifiedArrayOf<Todo.State>(encoded: bytes)
      }
      try turns.take("generic_decode", bytes.count) { try GenericValue(encoded: bytes) }
      try turns.take("check", bytes.count) { try checked(bytes) }
      try turns.take("digest", bytes.count) { try Digest.of(canonical: bytes) }
    }
    var figures = Figures()
    figures.set("rows", count)
    for name in turns.names { figures.set("\(name)_mb_s", turns[name]) }
    for name in ["encode", "identified_encode"] {
      figures.set("\(name)_ratio", turns[name] / turns["json_encode"])
    }
    for name in ["decode", "identified_decode"] {
      figures.set("\(name)_ratio", turns[name] / turns["json_decode"])
    }
    return figures
  }

  /// Checks all bytes without creating values.
  private static func checked(_ bytes: [UInt8]) throws -> Int {
    var decoder = CBORDecoder(bytes)
    try decoder.skipItem()
    try decoder.finish()
    return decoder.offset
  }
}

/// Measurements in turn, in millions of bytes per second of CPU time.
private struct Turns {
  private(set) var names: [String] = []
  private var samples: [String: Samples] = [:]

  subscript(name: String) -> Samples { samples[name] ?? Samples() }

  mutating func take<Result>(
    _ name: String,
    _ bytes: Int,
    _ body: () throws -> Result,
  ) rethrows {
    var result: Result?
    let cost = try Machine.cost { result = try body() }
    withExtendedLifetime(result) {
      if samples[name] == nil { names.append(name) }
      samples[name, default: Samples()].append(Double(bytes) * 1000 / Double(max(cost, 1)))
    }
  }
}
