import StoreHistory
import StoreProtocol
import StoreServer
import Testing

@testable import StoreDaemon

@Suite("The backlog of messages read from a socket")
struct IntakeBacklogTests {
  private static let owner = Holder.program(user: 1, process: 7)
  private static let mebibyte = 1 << 20

  /// Adds a message of each connection, and returns the excess after the last.
  private func added(
    _ messages: [(serial: UInt64, bytes: Int, holder: Holder)],
    to backlog: inout IntakeBacklog,
  ) -> [UInt64] {
    var excess: [UInt64] = []
    for message in messages {
      backlog.add(message.bytes, of: message.serial, Int32(message.serial), message.holder)
      excess = backlog.excess(after: message.serial)
    }
    return excess
  }

  @Test func `A connection has so many messages and bytes`() {
    var backlog = IntakeBacklog(mostMessages: 3)
    let small = (serial: 5 as UInt64, bytes: 1, holder: Self.owner)
    let few = added([small, small, small], to: &backlog)
    #expect(few == [])
    let many = added([small], to: &backlog)
    #expect(many == [5])
    for _ in 0..<4 { backlog.remove(1, of: 5) }
    #expect(backlog.holder(of: 5) == nil && backlog.descriptor(of: 5) == nil)
    let large = added([(5, Intake.Limits.bytes + 1, Self.owner)], to: &backlog)
    #expect(large == [5])
  }

  @Test func `Of others those go first that have most, and the owner's is left alone`() {
    var backlog = IntakeBacklog(mostMessages: 8)
    // The owner has the largest backlog.
    let first = added([(1, 16 * Self.mebibyte, Self.owner)], to: &backlog)
    #expect(first == [])
    let others = (2...5 as ClosedRange<UInt64>).map {
      (serial: $0, bytes: 12 * Self.mebibyte, holder: Holder.user(UInt32($0)))
    }
    let full = added(others, to: &backlog)
    #expect(full == [])
    let greedy = added([(6, Self.mebibyte, .user(4))], to: &backlog)
    #expect(greedy == [4])
  }

  @Test func `Beyond its reserve the owner's is one of all`() {
    var backlog = IntakeBacklog(mostMessages: 8)
    let others = added(
      [(1, 30 * Self.mebibyte, .user(2)), (2, 5 * Self.mebibyte, .key("a"))],
      to: &backlog,
    )
    #expect(others == [])
    let greedy = added([(3, 31 * Self.mebibyte, Self.owner)], to: &backlog)
    #expect(greedy == [3])
  }

  @Test func `Others have three quarters of the messages and bytes of all`() {
    #expect(Intake.Limits.messagesOfOthers * 4 == Intake.Limits.totalMessages * 3)
    #expect(Intake.Limits.bytesOfOthers * 4 == Intake.Limits.totalBytes * 3)
    var backlog = IntakeBacklog(mostMessages: .max)
    for number in 0..<Intake.Limits.messagesOfOthers {
      backlog.add(1, of: UInt64(number % 8), 0, .user(UInt32(number % 8)))
    }
    #expect(backlog.excess(after: 0).isEmpty)
    backlog.add(1, of: 0, 0, .user(0))
    #expect(backlog.excess(after: 0) == [0])
  }
}
