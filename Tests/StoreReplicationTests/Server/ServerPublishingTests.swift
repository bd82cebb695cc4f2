import StoreActor
import StoreState
import Testing

@testable import StoreProtocol
@testable import StoreServer

/// Deltas and bookmarks of the daemon: docs/PROTOCOL.md §6, §8, §11.
@MainActor
@Suite struct ServerPublishingTests {
  private func runs(_ messages: [PublishedMessage]) -> [PublishedMessage.DeltaRun] {
    messages.compactMap { if case .deltas(let run) = $0 { run } else { nil } }
  }

  private func bookmarks(_ messages: [PublishedMessage]) -> [PublishedMessage.Bookmark] {
    messages.compactMap { if case .bookmark(let bookmark) = $0 { bookmark } else { nil } }
  }

  @Test("§8: a turn's revisions are sent in one run, each as a separate step")
  func run() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let topic = try bench.join(1, hello, nonce: 1, [.follow("counter")]).topic
    for _ in 0..<3 { bench.root.send(.counter(.incrementButtonTapped)) }
    try bench.endTurn()
    bench.root.send(.counter(.incrementButtonTapped))
    try bench.endTurn()
    let published = runs(bench.take(topic))
    #expect(published.map(\.sequence) == [1, 4])
    #expect(published.map { $0.steps.map(\.revision) } == [[1, 2, 3], [4]])
  }

  @Test("§6: changes of one revision in several scopes are one step, by the scopes' index")
  func atomicStep() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let topic = try bench.join(
      1,
      hello,
      nonce: 1,
      [.follow("extra"), .follow("cards/row/2"), .follow("cards")],
    ).topic
    bench.root.send(.cards(.element(id: 2, action: .titleChanged(title: "zwei"))))
    try bench.endTurn()
    let run = try #require(runs(bench.take(topic)).first)
    // In the order of names: cards, cards/row/2, extra.
    #expect(run.steps.count == 1)
    #expect(run.steps.first?.changes.map(\.index).sorted() == [0, 1])
  }

  @Test("§8: a revision that does not change a view is not published to it")
  func unchanged() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let topic = try bench.join(1, hello, nonce: 1, [.follow("counter")]).topic
    bench.root.send(.secretChanged)
    bench.root.send(.cards(.element(id: 1, action: .titleChanged(title: "x"))))
    bench.root.send(.counter(.incrementButtonTapped))
    try bench.endTurn()
    let run = try #require(runs(bench.take(topic)).first)
    #expect(run.sequence == 1)
    #expect(run.steps.map(\.revision) == [3])
  }

  @Test("§8: a scope that appears and disappears is a change of an optional")
  func presence() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let topic = try bench.join(1, hello, nonce: 1, [.follow("extra")]).topic
    bench.root.send(.counter(.extraToggled))
    bench.root.send(.extra(.written(text: "hi")))
    bench.root.send(.counter(.extraToggled))
    try bench.endTurn()
    var state: Deck.Extra?
    var seen: [String?] = []
    for step in try #require(runs(bench.take(topic)).first).steps {
      state = try state.applying(delta: try #require(step.changes.first).delta)
      seen.append(state?.text)
    }
    #expect(seen == ["", "hi", nil])
  }

  @Test("§11: a bookmark follows a silence of 250 ms, once, with the digests of its revision")
  func bookmarkAfterSilence() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let topic = try bench.join(1, hello, nonce: 1, [.follow("counter"), .follow("extra")]).topic
    try bench.advance(by: .milliseconds(300))
    _ = bench.take(topic)
    bench.root.send(.counter(.incrementButtonTapped))
    try bench.endTurn()
    #expect(bench.server.nextDeadline == bench.now.instant.advanced(by: .milliseconds(250)))
    try bench.advance(by: .milliseconds(200))
    #expect(bookmarks(bench.take(topic)).isEmpty)
    try bench.advance(by: .milliseconds(50))
    let bookmark = try #require(bookmarks(bench.take(topic)).first)
    #expect(bookmark.revision == 1)
    #expect(bookmark.sequence == 1)
    #expect(bookmark.durableRevision == nil)
    let counter: Deck.Counter? = Deck.Counter(count: 1)
    let extra: Deck.Extra? = nil
    #expect(bookmark.digests == [counter._$digest, extra._$digest])
    try bench.advance(by: .seconds(5))
    #expect(bench.take(topic).isEmpty)
  }

  @Test("§11: a bookmark also follows a join, so that the captures are checked")
  func bookmarkAfterJoin() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let topic = try bench.join(1, hello, nonce: 1, [.follow("counter")]).topic
    try bench.advance(by: .milliseconds(250))
    #expect(bookmarks(bench.take(topic)).map(\.sequence) == [0])
  }

  @Test("§11: a view that is never silent for long has a bookmark every five seconds")
  func bookmarkOfBusyView() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let topic = try bench.join(1, hello, nonce: 1, [.follow("counter")]).topic
    for second: UInt64 in 1...12 {
      for _ in 0..<10 {
        bench.root.send(.counter(.incrementButtonTapped))
        try bench.advance(by: .milliseconds(100))
      }
      bench.receive(.ping(number: second, revision: bench.root.revision), from: 1)
    }
    #expect(bookmarks(bench.take(topic)).count == 2)
  }

  @Test("§11: without silence a bookmark follows every 256 deltas")
  func bookmarkAfterMany() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    let topic = try bench.join(1, hello, nonce: 1, [.follow("counter")]).topic
    for _ in 0..<600 {
      bench.root.send(.counter(.incrementButtonTapped))
      try bench.advance(by: .milliseconds(1))
    }
    #expect(bookmarks(bench.take(topic)).map(\.sequence) == [256, 512])
  }

  @Test("§9: a joiner that applies the deltas to the snapshot has the daemon's digest")
  func deltasOnSnapshot() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    bench.root.send(.counter(.incrementButtonTapped))
    let joined = try bench.join(1, hello, nonce: 1, [.follow("counter")])
    var state = try joined.captures.first?.snapshot(Deck.Counter.self)
    bench.root.send(.counter(.filled(bytes: 10)))
    bench.root.send(.counter(.decrementButtonTapped))
    try bench.advance(by: .milliseconds(1))
    for run in runs(bench.take(joined.topic)) {
      for change in run.steps.flatMap(\.changes) {
        state = try state.applying(delta: change.delta)
      }
    }
    try bench.advance(by: .milliseconds(250))
    #expect(bookmarks(bench.take(joined.topic)).first?.digests == [state._$digest])
    #expect(state == bench.root.state.counter)
  }

  @Test("A view without followers has no further cost")
  func nobodyFollows() throws {
    let bench = ServerBench()
    let hello = try bench.hello(1)
    try bench.join(1, hello, nonce: 1, [.follow("counter")])
    bench.receive(.bye, from: 1)
    bench.lose(ServerBench.publisher(1))
    bench.lose(ServerBench.peer(1))
    try bench.endTurn()
    let before = bench.server.counters.deltas
    bench.root.send(.counter(.incrementButtonTapped))
    try bench.advance(by: .seconds(1))
    #expect(bench.server.counters.deltas == before)
    #expect(!bench.hasPublished)
    #expect(bench.server.nextDeadline == nil)
  }
}
