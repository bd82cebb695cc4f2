import Testing

@testable import StoreProtocol
@testable import StoreReplica

@MainActor
@Suite("The snapshots that a client assembles during a join")
struct ClientJoinTests {
  private let join = ClientJoin(nonce: 1, asked: [], deadline: Instant(nanoseconds: 0))

  private func piece(
    _ offset: Int,
    _ bytes: [UInt8],
    total: Int,
    revision: UInt64 = 7,
  ) -> DaemonMessage.SnapshotPiece {
    DaemonMessage.SnapshotPiece(
      nonce: 1,
      handle: 1,
      revision: revision,
      total: UInt64(total),
      offset: UInt64(offset),
      bytes: bytes[...],
    )
  }

  @Test func `The pieces of a snapshot are put together, and those before are not copied`() {
    let (count, size) = (1_000, 1_000)
    var moves = 0
    var last: UnsafeRawPointer?
    for number in 0..<count {
      let bytes = [UInt8](repeating: UInt8(number % 251), count: size)
      let fault = join.add(piece(number * size, bytes, total: count * size), limit: .max)
      #expect(fault == nil)
      let place = join.capture(1)?.snapshot.withUnsafeBytes { $0.baseAddress }
      if place != last { moves += 1 }
      last = place
    }
    let snapshot = join.capture(1)?.snapshot
    #expect(snapshot == (0..<count * size).map { UInt8($0 / size % 251) })
    // A growing array doubles. An array that is copied for each piece moves a thousand times.
    #expect(moves <= 20)
  }

  @Test func `A piece out of order is refused, and earlier pieces stay`() {
    #expect(join.add(piece(0, [1, 2], total: 5), limit: 5) == nil)
    let wrong = [
      piece(3, [3], total: 5), piece(2, [3], total: 6), piece(2, [3], total: 5, revision: 8),
      piece(2, [3, 4, 5, 6], total: 5), piece(1, [2], total: 5),
    ]
    for piece in wrong { #expect(join.add(piece, limit: 10) != nil, "\(piece)") }
    #expect(join.add(piece(0, [1], total: 6), limit: 5)?.contains("6 bytes") == true)
    #expect(join.add(piece(2, [3, 4, 5], total: 5), limit: 5) == nil)
    #expect(join.capture(1)?.snapshot == [1, 2, 3, 4, 5])
  }
}
