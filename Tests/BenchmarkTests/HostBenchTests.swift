import Foundation
import StoreJournal
import Testing

@testable import HostBench

/// The measurements of a daemon's half in one process, with sizes that take no time.
@Suite(.timeLimit(.minutes(1)))
@MainActor
struct HostBenchTests {
  @Test("Changing one row is measured for two sizes in turn")
  func change() throws {
    let line = try ChangeBench.compare(4, 40, actions: 3, rounds: 2).line
    #expect(line.contains(#""few_rows":4,"many_rows":40,"few_ns":"#))
    #expect(line.contains(#""ratio_max":"#))
  }

  @Test("A joiner gets hardly more bytes than the state has")
  func join() throws {
    let line = try JoinBench.figures(rows: 1000, joins: 2).line
    let ratio = try number("ratio", in: line)
    #expect(ratio > 1)
    #expect(ratio < 1.1)
    #expect(try number("most_ms", in: line) > 0)
  }

  @Test("A Bool of a row with a UUID takes no more than 64 bytes")
  func frame() throws {
    let bytes = try number("bytes", in: try FrameBench.figures(rows: 100).line)
    #expect(bytes > 30)
    #expect(bytes <= 64)
  }

  @Test("A daemon's memory is measured beside that of the state alone")
  func versions() throws {
    let alone = try number("mib", in: VersionsBench.stateFigures(rows: 20_000).line)
    #expect(alone > 0)
    let line = try VersionsBench.figures(rows: 20_000, versions: 200).line
    #expect(line.contains(#""versions":200,"mib":"#))
  }

  @Test("Rows are encoded and decoded in both forms")
  func codec() throws {
    let line = try CodecBench.figures(rows: 20, rounds: 1).line
    #expect(try number("encode_mb_s", in: line) > 0)
    #expect(try number("json_decode_mb_s", in: line) > 0)
    #expect(try number("decode_ratio", in: line) > 0)
    #expect(try number("identified_decode_ratio", in: line) > 0)
    #expect(try number("digest_mb_s", in: line) > 0)
  }

  @Test("What a daemon keeps is measured, and how it comes back")
  func keep() async throws {
    let path = "\(NSTemporaryDirectory())/keep-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let kept = try await KeepBench.figures(
      "\(path)/a",
      toggles: 3_000,
      rows: 10,
      hasSnapshots: false,
      retention: Retention(bytes: 0),
    )
    let line = kept.line
    #expect(try number("record_bytes", in: line) > 3_000 * 30)
    #expect(try number("commits", in: line) > 0)
    let recovered = try RecoverBench.figures("\(path)/a", rounds: 1).line
    #expect(recovered.contains(#""records":3000,"#))
    let read = try ReadBench.figures("\(path)/b", rows: 50, rounds: 1).line
    #expect(try number("ratio", in: read) > 0)
    let torn = try TornBench.figures("\(path)/c", bytes: 100_000, rounds: 1).line
    #expect(try number("ratio", in: torn) > 0)
  }

  @Test("Medians and ratios are those of the samples")
  func samples() {
    let samples = Samples(values: [4, 1, 3, 2])
    #expect(samples.median == 2.5)
    #expect((samples / Samples(values: [2, 1, 1, 4])).values == [2, 1, 3, 0.5])
    #expect(Samples().median == 0)
  }

  @Test("Options are found wherever they stand")
  func arguments() {
    var arguments = Arguments(["change", "--idle", "--rows", "1,20", "--actions", "x"])
    let rows = arguments.numbers("--rows", or: [5])
    let actions = arguments.number("--actions", or: 7)
    let flags = [arguments.flag("--idle"), arguments.flag("--idle")]
    #expect(arguments.command == "change")
    #expect(rows == [1, 20])
    #expect(actions == 7)
    #expect(flags == [true, false])
  }

  private func number(_ name: String, in line: String) throws -> Double {
    let start = try #require(line.range(of: "\"\(name)\":")).upperBound
    return try #require(Double(line[start...].prefix { $0 != "," }))
  }
}
