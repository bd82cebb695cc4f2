import Observation
import StoreActor
import Testing

@Suite("Running again after a change", .timeLimit(.minutes(1)))
@MainActor
struct ObserveTests {
  private func counter() -> StoreOf<Counter> {
    Store(initialState: Counter.State()) { Counter() }
  }

  @Test("The closure runs at once, and once again for any number of changes before its turn")
  func coalesced() async {
    let store = counter()
    var seen: [Int] = []
    let token = observe { seen.append(store.count) }
    #expect(seen == [0])
    store.send(.increment)
    store.send(.increment)
    store.send(.increment)
    #expect(seen == [0])
    await eventually { seen.count > 1 }
    store.send(.set(10))
    await eventually { seen.count > 2 }
    #expect(seen == [0, 3, 10])
    token.cancel()
  }

  @Test("It runs no more when its token is cancelled or released")
  func cancelled() async {
    let store = counter()
    var runs = ["cancelled": 0, "gone": 0, "kept": 0]
    let cancelled = observe { runs["cancelled", default: 0] += store.count }
    var gone: ObserveToken? = observe { runs["gone", default: 0] += store.count }
    var tokens: Set<ObserveToken> = []
    observe { runs["kept", default: 0] += store.count }.store(in: &tokens)
    cancelled.cancel()
    #expect(gone != nil)
    gone = nil
    store.send(.increment)
    await eventually { runs["kept"] == 1 }
    #expect(runs == ["cancelled": 0, "gone": 0, "kept": 1])
    #expect(tokens.count == 1)
  }

  @Test("A closure may read other values than before, and send")
  func dynamicReads() async {
    let store = Store(initialState: Office.State()) { Office() }
    var seen: [Int?] = []
    let token = observe { seen.append(store.scope(\.guest, action: \.guest)?.ticks) }
    store.send(.guestCame(1))
    await eventually { seen.count == 2 }
    store.send(.guest(.tick))
    await eventually { seen.count == 3 }
    #expect(seen == [nil, 0, 1])
    token.cancel()
  }

  @Test("A closure that changes a value that it has read is notified of the next change")
  func changesWhatItReads() async {
    let store = counter()
    var runs = 0
    let token = observe {
      guard !store.count.isMultiple(of: 2) else { return }
      runs += 1
      store.send(.increment)
    }
    store.send(.increment)
    await eventually { runs == 1 }
    store.send(.increment)
    await eventually { runs == 2 }
    #expect(store.count == 4)
    token.cancel()
  }

  @Test("Observations returns the values that it reads of a store")
  @available(macOS 26.0, *)
  func observations() async {
    let store = counter()
    let values = LockIsolated<[Int]>([])
    let task = Task {
      for await count in Observations({ store.count }) {
        values.withValue { $0.append(count) }
        if count == 2 { break }
      }
    }
    await eventually { values.value == [0] }
    store.send(.increment)
    await eventually { values.value == [0, 1] }
    store.send(.increment)
    await task.value
    #expect(values.value == [0, 1, 2])
  }
}

@globalActor
private actor OtherActor {
  static let shared = OtherActor()
}

@OtherActor
@Observable
private final class Gauge {
  var value = 0
}

extension ObserveTests {
  @Test("On another actor the closure runs there, at once and after changes")
  @OtherActor
  func otherActor() async {
    let gauge = Gauge()
    var seen: [Int] = []
    let token = observe {
      OtherActor.assertIsolated()
      seen.append(gauge.value)
    }
    #expect(seen == [0])
    gauge.value = 1
    gauge.value = 2
    for _ in 0..<100_000 where seen.count < 2 { await Task.yield() }
    #expect(seen == [0, 2])
    token.cancel()
    gauge.value = 3
    for _ in 0..<100 { await Task.yield() }
    #expect(seen == [0, 2])
  }

  @Test("A token may be cancelled on any thread")
  func cancelledElsewhere() async {
    let store = counter()
    var seen: [Int] = []
    let token = observe { seen.append(store.count) }
    await Task.detached { token.cancel() }.value
    store.send(.increment)
    for _ in 0..<100 { await Task.yield() }
    #expect(seen == [0])
  }
}
