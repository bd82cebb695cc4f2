import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreReplica

/// A copy whose digest repeatedly differs from the daemon's: docs/PROTOCOL.md §9, §12.
@MainActor
@Suite struct MismatchTests {
  private let bench: PlayedDaemon

  init() throws {
    bench = try PlayedDaemon()
    try bench.join(revision: 5)
  }

  /// Delivers a bookmark whose digest differs from the copy's.
  private func differ(revision: UInt64 = 5, sequence: UInt64 = 0) throws {
    try bench.bookmark(revision: revision, sequence: sequence, digest: Digest(rawValue: 1))
  }

  /// Delivers a bookmark whose digest equals the copy's.
  private func agree(revision: UInt64 = 5, sequence: UInt64 = 0) throws {
    let digest = bench.copy.replica.digest
    try bench.bookmark(revision: revision, sequence: sequence, digest: digest)
  }

  /// Delivers the requested snapshot.
  private func answer() throws { try bench.answer(revision: 5, sequence: 0) }

  /// Lets time pass while the daemon sends pongs, so that the client does not detect silence.
  private func pass(_ time: Duration) throws {
    let nowhere = DaemonMessage.Watermark(nonce: 0, sequence: 0)
    var left = time
    while left > .zero {
      let step = min(left, .seconds(1))
      try bench.wire.advance(by: step)
      try bench.send(.pong(number: 0, revision: 5, watermark: nowhere))
      left -= step
    }
  }

  /// The number of joins that requested the scope.
  private var joins: Int { bench.wire.joins.count }

  /// The places of differences that were reported to the user.
  private var places: [String] {
    bench.wire.events.compactMap { event -> String? in
      if case .differed(scope: "counter", let place) = event { place } else { nil }
    }
  }

  @Test("§12: a scope that differs is fetched at once, then after waits that double, up to 60 s")
  func waits() throws {
    try differ()
    #expect(joins == 2, "It was not fetched at once")
    for (number, seconds) in zip(2..., [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      try answer()
      try differ()
      #expect(bench.scope.mismatches == number)
      let before = joins
      try pass(Duration.seconds(seconds) - .milliseconds(1))
      #expect(joins == before, "It was fetched before \(seconds) s had passed")
      try pass(.milliseconds(1))
      #expect(joins == before + 1, "It was not fetched after \(seconds) s")
      let request = try #require(bench.wire.joins.last?.first)
      #expect(request.mode == .follow && request.position == nil)
    }
    #expect(bench.client.resyncs == 10)
    #expect(bench.wire.resynchronizations.count == 10)
    #expect(bench.wire.reconnects == 0)
  }

  @Test("§12: after a bookmark that agrees the waits restart")
  func anew() throws {
    try differ()
    for seconds in [1, 2, 4] {
      try answer()
      try differ()
      try pass(.seconds(seconds))
    }
    try answer()
    #expect(bench.scope.mismatches == 4)
    try agree()
    #expect(bench.scope.mismatches == 0)
    let before = joins
    try pass(.seconds(60))
    #expect(joins == before, "The client fetches no scope")
    try differ()
    #expect(joins == before + 1, "It was not fetched at once")
    try answer()
    try differ()
    try pass(.milliseconds(999))
    #expect(joins == before + 1)
    try pass(.milliseconds(1))
    #expect(joins == before + 2)
  }

  @Test("§12: a scope that another join fetches meanwhile is not fetched once more")
  func elsewhere() throws {
    try differ()
    try answer()
    try differ()
    // The fetch is due in a second, and a new session fetches the scope earlier.
    try pass(.milliseconds(500))
    try bench.greet()
    try bench.helloOK(last: 0, isResumed: false)
    try answer()
    let before = joins
    // The next fetch has its own wait, independent of the earlier one.
    try differ()
    #expect(bench.scope.mismatches == 3)
    try pass(.milliseconds(1_999))
    #expect(joins == before)
    try pass(.milliseconds(1))
    #expect(joins == before + 1)
  }

  @Test("§12: with a new history the waits restart, and no state is compared with the old one")
  func newEpoch() throws {
    try differ()
    for seconds in [1, 2, 4] {
      try answer()
      try differ()
      try pass(.seconds(seconds))
    }
    try bench.greet()
    try bench.helloOK(epoch: 78, last: 0, isResumed: false)
    try bench.answer(revision: 9, sequence: 0)
    #expect(bench.scope.mismatches == 0)
    #expect(places == [])
    let before = joins
    try differ(revision: 9)
    #expect(joins == before + 1, "It was not fetched at once")
  }

  @Test("§12: until it is fetched again a copy applies deltas, and is not compared")
  func meanwhile() throws {
    try differ()
    try answer()
    for _ in 0..<3 { try differ() }
    #expect(bench.scope.mismatches == 2)
    #expect(bench.wire.resynchronizations.count == 2)
    try bench.publish(sequence: 1, revisions: 6...6)
    #expect(bench.log.suffix(2) == ["delta 6", "shown 6"])
    try differ(revision: 6, sequence: 1)
    #expect(bench.scope.mismatches == 2)
    #expect(joins == 2)
    try pass(.seconds(1))
    #expect(joins == 3)
    try bench.answer(revision: 6, sequence: 1)
    try agree(revision: 6, sequence: 1)
    #expect(bench.scope.mismatches == 0)
    #expect(bench.scope.status == .live)
  }

  @Test("§9: the place of a difference is reported when the daemon's state has arrived")
  func place() throws {
    try differ(revision: 6)
    #expect(bench.wire.resynchronizations.count == 1)
    #expect(places == [], "The daemon's state has not come")
    // The daemon counts 6, the copy 5.
    try bench.answer(revision: 6, sequence: 0)
    #expect(places == ["$.count: here 5, there 6"])
    // A snapshot newer than the bookmark may differ for that reason, so the revision is reported.
    try differ(revision: 6)
    try pass(.seconds(1))
    try bench.answer(revision: 7, sequence: 0)
    #expect(places.dropFirst() == ["$.count: here 6, there 7 at revision 7"])
    // If only the digests differ, no place is reported.
    try differ(revision: 7)
    try pass(.seconds(2))
    try bench.answer(revision: 7, sequence: 0)
    #expect(places.count == 2)
    #expect(bench.wire.resynchronizations.count == 3)
  }
}
