import Foundation
import StoreState

/// Measures how quickly rows are encoded and decoded, against Foundation's JSON coders.
///
///     CodecBench [ROUNDS [NAME]]      NAME picks the cases whose names contain it
///
/// The cases take turns, round by round, and each prints its median. The ratio is of times for the
/// same rows, JSON's to ours; megabytes are each format's own.
@main
enum CodecBench {
  static func main() throws {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 15
    let name = CommandLine.arguments.dropFirst(2).first ?? ""
    let rows = (0..<2_000).map { LayoutRow($0) }
    let macroRows = rows.map { MacroRow($0) }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let (json, cbor) = (try encoder.encode(rows), rows.encoded())
    var bench = Bench(rounds: rounds, name: name)
    bench.add("JSON encode", bytes: json.count) { try encoder.encode(rows).count }
    bench.add("JSON decode", bytes: json.count) {
      try decoder.decode([LayoutRow].self, from: json).count
    }
    bench.add("layout encode", bytes: cbor.count) { rows.encoded().count }
    bench.add("layout decode", bytes: cbor.count) { try [LayoutRow](encoded: cbor).count }
    bench.add("macro encode", bytes: cbor.count) { macroRows.encoded().count }
    bench.add("macro decode", bytes: cbor.count) { try [MacroRow](encoded: cbor).count }
    bench.add("generic decode", bytes: cbor.count) {
      if case .array(let items) = try GenericValue(encoded: cbor) { items.count } else { 0 }
    }
    bench.add("skip and check", bytes: cbor.count) { try checked(cbor) }
    bench.add("digest of bytes", bytes: cbor.count) { try digested(cbor) }
    try bench.run()
    bench.printTable(against: ["encode": "JSON encode", "decode": "JSON decode"])
  }

  private static func checked(_ bytes: [UInt8]) throws -> Int {
    var decoder = CBORDecoder(bytes)
    try decoder.skipItem()
    try decoder.finish()
    return decoder.offset
  }

  private static func digested(_ bytes: [UInt8]) throws -> Int {
    Int(truncatingIfNeeded: try Digest.of(canonical: bytes).rawValue)
  }
}

/// Cases that take turns.
struct Bench {
  private struct Case {
    var name: String
    var bytes: Int
    var body: () throws -> Int
    var times: [Duration] = []
  }

  let rounds: Int
  let name: String
  private var cases: [Case] = []
  private var sum = 0

  init(rounds: Int, name: String) {
    self.rounds = rounds
    self.name = name
  }

  mutating func add(_ name: String, bytes: Int, _ body: @escaping () throws -> Int) {
    guard self.name.isEmpty || name.contains(self.name) else { return }
    cases.append(Case(name: name, bytes: bytes, body: body))
  }

  mutating func run() throws {
    let clock = ContinuousClock()
    for _ in 0..<rounds {
      for index in cases.indices {
        let start = clock.now
        sum &+= try cases[index].body()
        cases[index].times.append(clock.now - start)
      }
    }
  }

  private func median(_ times: [Duration]) -> Double {
    let middle = times.sorted()[times.count / 2]
    return Double(middle.components.attoseconds) / 1e18 + Double(middle.components.seconds)
  }

  func printTable(against references: [String: String]) {
    for item in cases {
      let seconds = median(item.times)
      var line = "\(item.name): \(Int(Double(item.bytes) / seconds / 1e6)) MB/s"
      line += ", \(Int(seconds * 1e9 / 2_000)) ns a row"
      for (word, reference) in references where item.name.hasSuffix(word) {
        guard let other = cases.first(where: { $0.name == reference }) else { continue }
        let ratio = (median(other.times) / seconds * 10).rounded() / 10
        line += ", \(ratio) × JSON"
      }
      print(line)
    }
    print("checksum \(sum)")
  }
}
