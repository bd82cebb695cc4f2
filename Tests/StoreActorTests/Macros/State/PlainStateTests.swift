import StoreActor
import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@ObservableState
private enum Stage: Equatable, ReplicatedState {
  case idle
  case running(step: Int)
  case failed(String, Int?)
}

@ObservableState
private struct Job: Equatable, Identifiable, ReplicatedState {
  struct Tag: Codable, Equatable, Sendable { var text = "x" }

  let id: UUID
  var title = "untitled"
  @Replicated(formerly: "state") var stage = Stage.idle
  var parts: IdentifiedArrayOf<Generated.Child> = []
  var weights: [String: Double] = [:]
  @ReplicatedAsCodable var tag = Tag()
  @ReplicationIgnored var cache: [Int: Int] = [:]
}

@Suite("Generated code that reads without a decoder")
struct PlainStateTests {
  private var jobs: [Job] {
    let parts: IdentifiedArrayOf<Generated.Child> = [
      Generated.Child(id: 1, isOn: true), Generated.Child(id: 2, isOn: false),
    ]
    return [
      Job(id: UUID(1)),
      Job(id: UUID(2), title: "é", stage: .running(step: -1), parts: parts),
      Job(id: UUID(3), stage: .failed("longer than fifteen bytes", nil), weights: ["a": 0.5]),
    ]
  }

  @Test("It reads its own bytes")
  func plain() throws {
    #expect(Stage._$isPlain && Job._$isPlain)
    // The order of its labels' encodings differs from the order of its parts.
    #expect(!GeneratedChoice._$isPlain)
    let bytes = jobs.encoded()
    var decoder = CBORDecoder(bytes)
    #expect(try decoder.plain([Job].self) == jobs)
    try decoder.finish()
  }

  @Test("Otherwise the result equals the decoder's: the value, or the error with path and place")
  func damaged() {
    for damaged in ReplicatedRecordTests.damaged(jobs.encoded()) {
      var (found, expected): ([Job]?, [Job]?)
      let error = ReplicatedRecordTests.failure { found = try [Job](encoded: damaged) }
      let twin = ReplicatedRecordTests.failure {
        var decoder = CBORDecoder(damaged)
        decoder.lastNotPlain = .max
        let jobs = try [Job](from: &decoder)
        try decoder.finish()
        expected = jobs
      }
      #expect(error == twin)
      #expect(found == expected)
    }
  }
}
