import Testing

@testable import StoreProtocol
@testable import StoreReplica

/// The waiters of a connection, and the result that each of them receives.
@MainActor
@Suite("Waiters of a connection")
struct WaitsTests {
  /// The results that waiters received, in order.
  @MainActor
  private final class Told {
    private(set) var ends: [String] = []

    /// A wait's body, which records the result.
    func body(_ name: String) -> Waits.Body {
      { result in
        switch result {
        case .success: self.ends.append(name)
        case .failure(let failure): self.ends.append("\(name): \(failure)")
        }
      }
    }
  }

  private let told = Told()

  private func instant(_ seconds: Int) -> Instant {
    Instant(nanoseconds: 0).advanced(by: .seconds(seconds))
  }

  /// Ends waits with success.
  private func end(_ bodies: [Waits.Body]) { for body in bodies { body(.success(())) } }

  @Test("Waiters for one condition are notified in the order in which they were added, and once")
  func order() {
    var waits = Waits()
    let names = (1...20).map { "\($0)" }
    for name in names { _ = waits.add(.connected, within: .seconds(1), told.body(name)) }
    _ = waits.add(.time, within: .seconds(1), told.body("another thing"))
    waits.begin(at: instant(0))
    end(waits.take(.connected))
    #expect(told.ends == names)
    end(waits.take(.connected))
    #expect(told.ends == names)
  }

  @Test("Waiters whose time ends together are notified in the order in which they were added")
  func dueOrder() {
    var waits = Waits()
    let scope = WaitCondition.state(of: ObjectIdentifier(told))
    for number in 1...20 {
      let condition: WaitCondition = number.isMultiple(of: 2) ? .connected : scope
      _ = waits.add(condition, within: .seconds(20 - number), told.body("\(number)"))
    }
    waits.begin(at: instant(0))
    end(waits.takeDue(at: instant(20)))
    #expect(told.ends == (1...20).map { "\($0)" })
    #expect(waits.earliest == nil)
  }

  @Test("A wait's time begins with the next turn, however late that turn is")
  func nextTurn() {
    var waits = Waits()
    _ = waits.add(.connected, within: .seconds(1), told.body("one"))
    #expect(waits.earliest == nil)
    end(waits.takeDue(at: instant(1_000)))
    #expect(told.ends.isEmpty)
    waits.begin(at: instant(1_000))
    #expect(waits.earliest == instant(1_001))
    // Later turns begin other waits, but do not begin this one again.
    _ = waits.add(.connected, within: .seconds(1), told.body("two"))
    waits.begin(at: instant(1_000).advanced(by: .milliseconds(500)))
    end(waits.takeDue(at: instant(1_001).advanced(by: .nanoseconds(-1))))
    #expect(told.ends.isEmpty)
    // Another wait's deadline does not end a wait that has not begun.
    _ = waits.add(.connected, within: .zero, told.body("three"))
    end(waits.takeDue(at: instant(1_001)))
    #expect(told.ends == ["one"])
    waits.begin(at: instant(1_002))
    end(waits.takeDue(at: instant(1_002)))
    #expect(told.ends == ["one", "two", "three"])
  }

  @Test("A deadline ends its own wait alone, also one that was set for a wait that has ended")
  func ownDeadline() {
    var waits = Waits()
    _ = waits.add(.connected, within: .seconds(1), told.body("early"))
    waits.begin(at: instant(0))
    end(waits.take(.connected))
    _ = waits.add(.connected, within: .seconds(2), told.body("short"))
    _ = waits.add(.connected, within: .seconds(5), told.body("long"))
    _ = waits.add(.connected, within: nil, told.body("endless"))
    waits.begin(at: instant(0))
    end(waits.takeDue(at: instant(1)))
    #expect(told.ends == ["early"])
    end(waits.takeDue(at: instant(2)))
    #expect(told.ends == ["early", "short"])
    #expect(waits.earliest == instant(5))
    end(waits.takeDue(at: instant(5)))
    #expect(told.ends == ["early", "short", "long"])
    #expect(waits.earliest == nil)
    end(waits.take(.connected))
    #expect(told.ends == ["early", "short", "long", "endless"])
  }

  @Test("A wait that is removed ends neither by its time nor by its condition")
  func takenOut() {
    var waits = Waits()
    let first = waits.add(.connected, within: .seconds(1), told.body("first"))
    _ = waits.add(.connected, within: .seconds(1), told.body("second"))
    #expect(waits.take(first) != nil)
    #expect(waits.take(first) == nil)
    waits.begin(at: instant(0))
    end(waits.takeDue(at: instant(1)))
    #expect(told.ends == ["second"])
    #expect(waits.take(.connected).isEmpty)
    #expect(waits.takeAll().isEmpty)
  }

  @Test("A cancelled waiter is notified once, and no other waiter is")
  func cancel() throws {
    let wire = BenchClient()
    let wait = wire.client.wait(for: .connected, within: .seconds(5), told.body("one"))
    wire.client.wait(for: .connected, within: .seconds(5), told.body("other"))
    try wire.settle()
    wire.client.cancel(wait)
    wire.client.cancel(wait)
    #expect(told.ends == ["one: canceled"])
    try wire.advance(by: .seconds(5))
    #expect(told.ends == ["one: canceled", "other: timedOut(isConnected: false)"])
  }

  @Test("A wait's time begins in the next turn, and another wait's deadline does not end it")
  func turns() throws {
    let bench = try PlayedDaemon()
    bench.client.wait(for: .connected, within: .seconds(1), told.body("early"))
    try bench.wire.settle()
    try bench.join(revision: 5)
    #expect(told.ends == ["early"])
    bench.client.wait(for: .time, within: .seconds(3), told.body("long"))
    bench.client.wait(for: .time, within: .seconds(2), told.body("short"))
    try bench.wire.advance(by: .milliseconds(900))
    #expect(told.ends == ["early"])
    // The time before that turn does not count.
    try bench.wire.advance(by: .milliseconds(1_999))
    #expect(told.ends == ["early"])
    try bench.wire.advance(by: .milliseconds(1))
    #expect(told.ends == ["early", "short: timedOut(isConnected: true)"])
    try bench.wire.advance(by: .seconds(1))
    #expect(told.ends.last == "long: timedOut(isConnected: true)")
  }

  @Test("A waiter receives the reason if the daemon ends one session after another")
  func sessionsEnd() throws {
    let bench = try PlayedDaemon()
    try bench.open()
    let state = WaitCondition.state(of: ObjectIdentifier(bench.scope))
    bench.client.wait(for: state, within: .milliseconds(900), told.body("get"))
    try bench.wire.settle()
    for _ in 0..<3 {
      let message = "Nothing was heard." + String(repeating: "!", count: 9_999)
      try bench.send(.goodbye(code: "leaseEnded", message: message))
      try bench.helloOK(last: 0, isResumed: false)
    }
    try bench.wire.advance(by: .milliseconds(900))
    #expect(told.ends.count == 1)
    #expect(told.ends[0].hasPrefix(#"get: sessionEnded(code: "leaseEnded", message: "Nothing was"#))
    #expect(told.ends[0].utf8.count < 600)
    // After a complete join, the earlier end of a session no longer counts.
    try bench.answer(revision: 5, sequence: 0)
    #expect(bench.copy.scope.hasShown)
    bench.client.wait(for: .time, within: .milliseconds(100), told.body("later"))
    try bench.wire.settle()
    try bench.wire.advance(by: .milliseconds(100))
    #expect(told.ends.last == "later: timedOut(isConnected: true)")
  }

  @Test("When the connection ends all waiters are notified in order, and later waiters at once")
  func closing() throws {
    let bench = try PlayedDaemon()
    let state = WaitCondition.state(of: ObjectIdentifier(bench.scope))
    let conditions: [WaitCondition] = [.time, state, .connected]
    for (number, condition) in zip(1..., conditions) {
      bench.client.wait(for: condition, within: .seconds(60), told.body("\(number)"))
    }
    bench.wire.turn.close("enough")
    #expect(told.ends == (1...3).map { #"\#($0): closed("enough")"# })
    for condition in conditions {
      bench.client.wait(for: condition, within: .seconds(60), told.body("late"))
    }
    let late = Array(repeating: #"late: closed("enough")"#, count: 3)
    #expect(Array(told.ends.dropFirst(3)) == late)
    #expect(bench.client.nextDeadline == nil)
  }
}
