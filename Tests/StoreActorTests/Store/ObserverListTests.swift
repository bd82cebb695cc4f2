import StoreActor
import Testing

@MainActor
@Suite("A list of observers") struct ObserverListTests {
  @Test("A cancelled observer is released when the next is added, even without a notification")
  func letGo() {
    let list = ObserverList<Int>()
    weak var first: Told?
    do {
      let told = Told()
      first = told
      list.add { told.numbers.append($0) }.cancel()
    }
    for _ in 0..<1_000 { list.add { _ in }.cancel() }
    #expect(first == nil)
    let last = Told()
    let subscription = list.add { last.numbers.append($0) }
    list.notify(7)
    #expect(last.numbers == [7])
    subscription.cancel()
  }

  private final class Told {
    var numbers: [Int] = []
  }
}
