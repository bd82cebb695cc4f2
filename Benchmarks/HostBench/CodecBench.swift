import Foundation
import StoreActor
import StoreState
import Workspace

/// Rows written and read in the form of the wire, against the same rows as JSON by Foundation.
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

  static func figures(rows: Int, rounds: Int) throws -> Figures {
    let items = BenchDaemon.todos(rows).items
    let json = items.map { JSONRow(id: $0.id, title: $0.title, isCompleted: $0.isCompleted) }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let text = try encoder.encode(json)
    let bytes = items.encoded()
    var (writing, reading) = (Samples(), Samples())
    var (jsonWriting, jsonReading) = (Samples(), Samples())
    for _ in 0..<rounds {
      writing.append(rate(bytes.count) { _ = items.encoded() })
      jsonWriting.append(try rate(text.count) { _ = try encoder.encode(json) })
      reading.append(
        try rate(bytes.count) { _ = try IdentifiedArrayOf<Todo.State>(encoded: bytes) }
      )
      jsonReading.append(
        try rate(text.count) { _ = try decoder.decode([JSONRow].self, from: text) }
      )
    }
    var figures = Figures()
    figures.set("rows", rows)
    figures.set("encode_mb_s", writing)
    figures.set("decode_mb_s", reading)
    figures.set("json_encode_mb_s", jsonWriting)
    figures.set("json_decode_mb_s", jsonReading)
    figures.set("encode_ratio", writing / jsonWriting)
    figures.set("decode_ratio", reading / jsonReading)
    return figures
  }

  /// Millions of bytes a second of CPU time.
  private static func rate(_ bytes: Int, _ body: () throws -> Void) rethrows -> Double {
    Double(bytes) * 1000 / Double(max(try Machine.cost(of: body), 1))
  }
}
