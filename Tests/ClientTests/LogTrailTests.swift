import GenericState
import StoreState
import Testing

@testable import StorectlMain

@Suite struct LogTrailTests {
  /// Returns entries of a history, by revision; those of another one have a different origin.
  private func entries(_ revisions: ClosedRange<UInt64>, by who: String = "one") -> [GenericValue] {
    revisions.map { revision in
      .map([
        .init(.text("revision"), .unsigned(revision)), .init(.text("origin"), .text(who)),
      ])
    }
  }

  private func trail(_ revisions: ClosedRange<UInt64>) -> LogTrail {
    var trail = LogTrail()
    #expect(trail.news(in: entries(revisions), hasMore: false) == entries(revisions)[...])
    return trail
  }

  @Test func `Without printed revisions there is no comparison`() {
    var trail = LogTrail()
    #expect(trail.compare() == nil)
  }

  @Test func `The common part of two histories is printed once`() {
    var trail = trail(3...9)
    #expect(trail.compare() == 2)
    let other = entries(3...5) + entries(6...7, by: "other")
    #expect(trail.news(in: other, hasMore: false) == entries(6...7, by: "other")[...])
    // The trail dropped the rolled-back entries, and recorded those that replaced them.
    #expect(trail.compare() == 2)
    #expect(trail.news(in: other, hasMore: false) == [])
  }

  @Test func `A history that was only rolled back has no news`() {
    var trail = trail(1...5)
    #expect(trail.compare() == 0)
    #expect(trail.news(in: entries(1...2), hasMore: true) == [])
    #expect(trail.news(in: [], hasMore: true) == [])
    #expect(trail.news(in: entries(3...3), hasMore: false) == [])
    #expect(trail.news(in: entries(4...4), hasMore: false) == entries(4...4)[...])
  }

  @Test(arguments: [false, true])
  func `A history without the printed revisions is another one`(isEmpty: Bool) {
    var trail = trail(3...9)
    #expect(trail.compare() == 2)
    #expect(trail.news(in: [], hasMore: true) == [])
    let other = isEmpty ? [] : entries(3...4, by: "other")
    #expect(trail.news(in: other, hasMore: false) == nil)
    #expect(trail.compare() == nil)
    #expect(trail.news(in: other, hasMore: false) == other[...])
  }

  @Test func `Only the last printed revisions are remembered`() {
    var trail = trail(1...5_000)
    #expect(trail.compare() == 5_000 - UInt64(LogTrail.most))
  }
}
