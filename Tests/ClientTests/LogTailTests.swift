import GenericState
import StoreClient
import StoreState
import Testing

@testable import StorectlMain

@Suite struct LogTailTests {
  /// A history that lists the revisions that are multiples of a number.
  private struct Played {
    var newest: UInt64
    var multiple: UInt64 = 1
    /// The number of examined revisions.
    var scanned: UInt64 = 0
    var questions = 0

    mutating func answer(_ pages: LogPages) -> LogPages.Page {
      questions += 1
      guard pages.next < newest else {
        return LogPages.Page(entries: [], reached: pages.next, newest: newest)
      }
      var (entries, reached) = ([GenericValue](), pages.next)
      while reached < newest, UInt64(entries.count) < pages.count {
        reached += 1
        scanned += 1
        guard reached.isMultiple(of: multiple) else { continue }
        entries.append(.map([.init(.text("revision"), .unsigned(reached))]))
      }
      return LogPages.Page(entries: entries, reached: reached, newest: newest)
    }

    /// Returns the revisions that are found, and the revision after which later ones are requested.
    mutating func tail(_ count: Int, after revision: UInt64 = 0) throws -> ([UInt64], next: UInt64)
    {
      var tail = LogTail(count: count, after: revision)
      while try !tail.take(answer(tail.pages)) {}
      let revisions = tail.entries.compactMap { entry -> UInt64? in
        if case .unsigned(let revision)? = entry[field: "revision"] { revision } else { nil }
      }
      return (revisions, tail.pages.next)
    }
  }

  @Test func `The newest ones are all that is asked for, where each one counts`() throws {
    var history = Played(newest: 1_000_000)
    #expect(try history.tail(3) == ([999_998, 999_999, 1_000_000], next: 1_000_000))
    #expect(history.questions == 2 && history.scanned == 3)
    // More entries than a page holds.
    let (many, _) = try history.tail(5_000)
    #expect(many == Array(995_001...1_000_000))
  }

  @Test func `If few of them count, more revisions are searched, with few useless searches`() throws
  {
    var history = Played(newest: 100_000, multiple: 1_000)
    #expect(try history.tail(2) == ([99_000, 100_000], next: 100_000))
    #expect(history.scanned < 20_000)
    history.multiple = 100_000
    #expect(try history.tail(2) == ([100_000], next: 100_000))
    #expect(history.scanned < 300_000)
  }

  @Test func `Fewer may exist than are wanted, and zero are wanted if only new ones are followed`()
    throws
  {
    var history = Played(newest: 5)
    #expect(try history.tail(9) == ([1, 2, 3, 4, 5], next: 5))
    #expect(try history.tail(9, after: 3) == ([4, 5], next: 5))
    #expect(try history.tail(1, after: 3) == ([5], next: 5))
    #expect(try history.tail(2, after: 9) == ([], next: 9))
    #expect(try history.tail(0) == ([], next: 5))
    history.newest = 0
    #expect(try history.tail(4) == ([], next: 0))
  }

  @Test func `An invalid page is refused`() throws {
    var tail = LogTail(count: 2, after: 0)
    #expect(try !tail.take(LogPages.Page(entries: [], reached: .max, newest: 9)))
    #expect(throws: ConnectionError.self) {
      try tail.take(LogPages.Page(entries: [.map([])], reached: 9, newest: 9))
    }
  }
}
