import Testing

@testable import StoreBench

/// The measurements of stores in one process, once each.
@Suite(.timeLimit(.minutes(1)))
@MainActor
struct StoreBenchTests {
  @Test("Each case can be prepared and done", arguments: BenchCase.all.map(\.name))
  func each(_ name: String) throws {
    let bench = try #require(BenchCase.all.first { $0.name == name })
    let operation = bench.prepare()
    operation()
    operation()
  }

  @Test("The cases that Benchmarks/measure/store.sh asks for are there")
  func named() {
    let names = Set(BenchCase.all.map(\.name))
    let wanted: Set = [
      "send-depth-0", "send-depth-3", "send-depth-10", "send-children-1", "send-children-1000",
      "send-unchanged", "send-refused",
      "read-property", "read-property-tracked", "scope-known", "send-to-presented-struct",
      "send-to-presented-macro-enum", "send-to-presented-plain-enum",
      "send-depth-3-shared-elsewhere", "send-depth-3-sharing", "send-shared", "send-shared-other",
      "send-shared-rows-1000", "send-shared-rows-1000-row", "send-shared-rows-1000-other",
    ]
    #expect(names.isSuperset(of: wanted))
  }
}
