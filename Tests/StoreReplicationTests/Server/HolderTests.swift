import StoreActor
import Testing

@testable import StoreHistory
@testable import StoreProtocol
@testable import StoreServer

/// The holders for which shares are counted, and the connections that are ended to make room.
@Suite struct HolderTests {
  @Test(
    "A holder is identified by the transport's description of a connection",
    arguments: [
      ("localhost:999:100:7", Holder.program(user: 999, process: 7)),
      ("localhost:0:0:8", .program(user: 0, process: 8)),
      ("localhost:1000:100:9", .user(1000)),
      ("localhost", .unknown),
      ("127.0.0.1", .network),
      ("192.0.2.1", .network),
    ],
  )
  @MainActor func holders(place: String, holder: Holder) {
    let access = Access(Grants(owner: 999))
    let caller = Caller(ActionOrigin.Identity(place: place), at: place)
    #expect(access.holder(of: caller) == holder)
  }

  @Test @MainActor func `The holder of a key is its name`() {
    let access = Access(Grants(owner: 999))
    let caller = Caller(key: Array(repeating: 3, count: 32), called: "laptop", at: "192.0.2.1")
    #expect(access.holder(of: caller) == .key("laptop"))
  }

  @Test @MainActor func `All tickets are one holder`() {
    let access = Access(Grants(owner: 999))
    for byte: UInt8 in [1, 2] {
      let ticket = KeyTicket(key: Array(repeating: byte, count: 32))
      #expect(access.holder(of: Caller(ticket: ticket, at: "192.0.2.1")) == .tickets)
    }
  }

  private func part(_ id: Int, _ user: UInt32, _ amount: Int) -> Holder.Part<Int> {
    Holder.Part(id: id, holder: .user(user), amount: amount)
  }

  @Test func `Room is made by the holder that has most, from its largest connection on`() {
    let parts = [part(1, 1, 40), part(2, 2, 30), part(3, 2, 20), part(4, 2, 0), part(5, 3, 5)]
    #expect(Holder.greediest(freeing: 1, of: parts) == [2])
    // After these two the first holder has more.
    #expect(Holder.greediest(freeing: 31, of: parts) == [2, 1])
    #expect(Holder.greediest(freeing: 1_000, of: parts) == [2, 1, 3, 5])
    #expect(Holder.greediest(freeing: 0, of: parts) == [])
  }

  @Test func `Of equal connections the one with the greatest id is first, in any order of them`() {
    let parts = [
      part(1, 1, 5), part(2, 1, 5), part(3, 2, 7), part(4, 1, 9), part(5, 3, 7), part(6, 1, 5),
    ]
    for _ in 0..<20 {
      #expect(Holder.greediest(freeing: 19, of: parts.shuffled()) == [4, 6, 2])
      #expect(Holder.greediest(freeing: 26, of: parts.shuffled()) == [4, 6, 2, 5])
    }
  }

  @Test func `Those of a holder that has less are not put in order`() {
    let compared = Comparisons()
    let small = (0..<10_000).map {
      Holder.Part(id: Counted(number: $0, compared), holder: .user(1), amount: 1 + $0 % 100)
    }
    let large = Holder.Part(id: Counted(number: -1, compared), holder: .user(2), amount: 1 << 30)
    let ended = Holder.greediest(freeing: 1 << 20, of: small + [large])
    #expect(ended.map(\.number) == [-1])
    #expect(compared.count <= 3 * small.count)
  }

  @Test func `A holder's thousand small connections go before another's large one`() {
    let small = (0..<1_000).map { part($0, 1, 1) }
    let ended = Holder.greediest(freeing: 300, of: small + [part(5_000, 2, 600)])
    #expect(ended.count == 300 && !ended.contains(5_000))
  }
}

/// Counts the comparisons of ids.
private final class Comparisons {
  var count = 0
}

private struct Counted: Comparable {
  let number: Int
  private let comparisons: Comparisons

  init(number: Int, _ comparisons: Comparisons) {
    self.number = number
    self.comparisons = comparisons
  }

  static func == (left: Self, right: Self) -> Bool { left.number == right.number }

  static func < (left: Self, right: Self) -> Bool {
    left.comparisons.count += 1
    return left.number < right.number
  }
}
