import StoreActor
import Testing

@testable import StoreReplication

/// For whom shares are counted, and whose connections are ended to make room.
@Suite struct HolderTests {
  @Test(
    "A holder is known by what the transport says of a connection",
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
    // After that the first one has more.
    #expect(Holder.greediest(freeing: 31, of: parts) == [2, 1])
    #expect(Holder.greediest(freeing: 1_000, of: parts) == [2, 1, 3, 5])
    #expect(Holder.greediest(freeing: 0, of: parts) == [])
  }

  @Test func `A holder's thousand small connections go before another's large one`() {
    let small = (0..<1_000).map { part($0, 1, 1) }
    let ended = Holder.greediest(freeing: 300, of: small + [part(5_000, 2, 600)])
    #expect(ended.count == 300 && !ended.contains(5_000))
  }
}
