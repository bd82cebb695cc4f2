import GenericState
import StoreClient
import StoreState
import Testing

@testable import StorectlMain

@Suite struct LogPagesTests {
  private func entries(_ revisions: UInt64...) -> [GenericValue] { entries(revisions) }

  private func entries(_ revisions: [UInt64]) -> [GenericValue] {
    revisions.map { .map([.init(.text("revision"), .unsigned($0))]) }
  }

  @Test func `Pages are requested up to the revision that was newest at the beginning`() throws {
    var pages = LogPages(after: 0, count: nil, isFollowed: false)
    #expect(try pages.take(entries(1, 3), through: 4, newest: 9) == .ask)
    #expect(pages.next == 4)
    #expect(try pages.take([], through: 8, newest: 12) == .ask)
    #expect(try pages.take(entries(9), through: 9, newest: 15) == .end)
  }

  @Test func `A followed log continues with new revisions`() throws {
    var pages = LogPages(after: 0, count: nil, isFollowed: true)
    #expect(try pages.take(entries(1), through: 1, newest: 2) == .ask)
    #expect(try pages.take(entries(2), through: 2, newest: 2) == .wait)
    #expect(try pages.take([], through: 2, newest: 2) == .wait)
    #expect(try pages.take(entries(3), through: 3, newest: 5) == .ask)
  }

  @Test func `No more is asked for than is wanted`() throws {
    var pages = LogPages(after: 0, count: 3, isFollowed: true)
    #expect(pages.count == 3)
    #expect(try pages.take(entries(1, 2), through: 2, newest: 9) == .ask)
    #expect(pages.count == 1)
    #expect(try pages.take(entries(3), through: 3, newest: 9) == .end)
  }

  @Test func `Pages of another history begin with its first, and as many are wanted as before`()
    throws
  {
    var pages = LogPages(after: 5, count: 4, isFollowed: true)
    #expect(try pages.take(entries(7, 8), through: 8, newest: 8) == .wait)
    pages.beginAnew(after: 0)
    #expect(pages.next == 0 && pages.count == 2)
    #expect(try pages.take(entries(1), through: 1, newest: 1) == .wait)
    // A shared entry is printed once, and does not count.
    #expect(try pages.take(entries(2), through: 2, newest: 3, known: 1) == .ask)
    #expect(pages.count == 1)
    #expect(try pages.take(entries(3), through: 3, newest: 3) == .end)
  }

  @Test func `A daemon that does not get on is asked no more, and the list is not whole`() {
    var pages = LogPages(after: 5, count: nil, isFollowed: false)
    let error = #expect(throws: ConnectionError.self) {
      try pages.take([], through: 5, newest: 9)
    }
    #expect(error?.code == .tryAgain)
  }

  @Test func `A list may be of a history that has less than what is asked for`() throws {
    var pages = LogPages(after: 50, count: nil, isFollowed: false)
    #expect(try pages.take([], through: 50, newest: 9) == .end)
  }

  @Test(
    arguments: [
      ([4], 9), ([5], 9), ([7, 7], 9), ([8, 7], 9), ([6, 10], 9), ([6], 5), ([], 4),
      ([6, 7, 8, 9], 9),
    ] as [([UInt64], UInt64)]
  )
  func `A page that cannot be the one that was asked for is refused`(
    revisions: [UInt64],
    reached: UInt64,
  ) throws {
    var pages = LogPages(after: 5, count: 3, isFollowed: false)
    let error = #expect(throws: ConnectionError.self) {
      try pages.take(entries(revisions), through: reached, newest: 20)
    }
    #expect(error?.code == .malformed)
  }

  @Test func `An entry without a revision is refused`() throws {
    var pages = LogPages(after: 5, count: nil, isFollowed: false)
    #expect(throws: ConnectionError.self) {
      try pages.take([.map([])], through: 6, newest: 6)
    }
  }

  @Test(arguments: [false, true])
  func `Empty pages that always announce more come to an end`(
    isFollowed: Bool
  ) throws {
    var pages = LogPages(after: 0, count: nil, isFollowed: isFollowed)
    let step = LogPages.leastLooked
    for _ in 0..<LogPages.mostEmpty {
      #expect(try pages.take([], through: pages.next + step, newest: .max) == .ask)
    }
    #expect(throws: ConnectionError.self) {
      try pages.take([], through: pages.next + step, newest: .max)
    }
  }

  @Test(arguments: [false, true])
  func `Empty pages that hardly advance come to an end soon`(isFollowed: Bool) throws {
    var pages = LogPages(after: 0, count: nil, isFollowed: isFollowed)
    for _ in 0..<2 {
      for _ in 0..<LogPages.mostIdle {
        #expect(try pages.take([], through: pages.next + 1, newest: .max) == .ask)
      }
      // A page with an entry resets the count.
      #expect(
        try pages.take(entries(pages.next + 1), through: pages.next + 1, newest: .max) == .ask
      )
    }
    for _ in 0..<LogPages.mostIdle {
      _ = try pages.take([], through: pages.next + 9, newest: .max)
    }
    let error = #expect(throws: ConnectionError.self) {
      try pages.take([], through: pages.next + 9, newest: .max)
    }
    #expect(error?.code == .malformed)
    #expect(
      error?.message.contains("9 pages without an entry, the last one of 9 revisions") == true
    )
  }
}

extension LogPages {
  fileprivate mutating func take(
    _ entries: [GenericValue],
    through reached: UInt64,
    newest: UInt64,
    known: Int = 0,
  ) throws(ConnectionError) -> Step {
    try take(Page(entries: entries, reached: reached, newest: newest), known: known)
  }
}
