import StoreProtocol
import StoreServer
import Testing
import ZeroMQ

@testable import StoreDaemon

@Suite struct CutReportsTests {
  private static let second: Int64 = 1_000_000_000

  private func cut(_ serial: UInt64?, _ peer: String? = nil) -> CutReports.Cut {
    CutReports.Cut(connection: serial, peer: peer, reason: "reads no bytes")
  }

  @Test func `Repeated connections of one peer do not hide others, and many share a line`() {
    var reports = CutReports()
    for number in 0..<200 as Range<UInt32> {
      var cut = cut(UInt64(number))
      cut.holder = .user(number % 100)
      reports.add(cut)
    }
    let lines = reports.take(at: 0)
    #expect(lines.count == 65)
    #expect(lines.count { $0.text.hasPrefix("2 connections") } == 64)
    #expect(reports.take(at: 9 * Self.second) == [])
    var late = cut(1)
    late.holder = .user(7)
    reports.add(late)
    #expect(reports.take(at: 9 * Self.second) == [])
    #expect(reports.take(at: 10 * Self.second).count == 1)
  }

  @Test func `Each holder's refusals have lines of their own, and do not hide closed connections`()
  {
    var reports = CutReports()
    func refuse(_ user: UInt32, _ kind: CutReports.Kind = .refused) {
      reports.add(
        CutReports.Cut(
          kind: kind,
          peer: "user \(user)",
          holder: .user(user),
          reason: "exceeded the number or rate of connections",
        )
      )
    }
    for _ in 0..<500 { refuse(7) }
    refuse(8)
    refuse(8, .unknown)
    var closed = cut(3)
    closed.holder = .user(8)
    reports.add(closed)
    let lines = reports.take(at: 0)
    let texts = lines.map(\.text).sorted()
    #expect(
      texts == [
        "500 connections were refused. The last one exceeded the number or rate of connections.",
        "A connection was closed: it reads no bytes.",
        "A connection was refused: it exceeded the number or rate of connections.",
        "A connection was refused: it exceeded the number or rate of connections.",
      ]
    )
    #expect(lines.filter { $0.kind == .refused }.map(\.details).contains(["peer": "user 7"]))
    for _ in 0..<500 { refuse(7) }
    refuse(9)
    #expect(reports.take(at: Self.second).map(\.details) == [["peer": "user 9"]])
    #expect(reports.take(at: 10 * Self.second).count == 1)
  }

  @Test func `A peer's repeated failures are one line in ten seconds`() {
    var failures = FailureCount()
    #expect(failures.add(at: 0) == 0)
    for tenth in 1..<100 as Range<Int64> {
      #expect(failures.add(at: tenth * Self.second / 10) == nil)
    }
    #expect(failures.add(at: 10 * Self.second) == 99)
    #expect(failures.add(at: 20 * Self.second) == 0)
  }

  @Test func `The first one is reported at once, with its peer`() {
    var reports = CutReports()
    #expect(reports.due == nil && reports.take(at: 0) == [])
    reports.add(cut(7, "user 1000, pid 71"))
    let line = reports.take(at: 5).first
    #expect(line?.text == "A connection was closed: it reads no bytes.")
    #expect(line?.details == ["connection": "7", "peer": "user 1000, pid 71"])
    #expect(reports.due == nil && reports.take(at: 6) == [])
  }

  @Test func `Those that follow are one line with their number, ten seconds later`() {
    var reports = CutReports()
    reports.add(cut(1))
    _ = reports.take(at: 0)
    for serial in 2...9 as ClosedRange<UInt64> {
      reports.add(cut(serial))
      #expect(reports.take(at: Self.second) == [])
    }
    #expect(reports.due == 10 * Self.second)
    let line = reports.take(at: 10 * Self.second).first
    #expect(line?.text == "8 connections were closed. The last one reads no bytes.")
    #expect(line?.details == ["connection": "9"])
    reports.add(cut(10))
    #expect(reports.take(at: 11 * Self.second) == [])
    let next = reports.take(at: 20 * Self.second).first
    #expect(next?.text == "A connection was closed: it reads no bytes.")
  }

  @Test func `A connection is identified by its user and program, or by its key`() {
    var table = ConnectionTable(limits: ConnectionTable.Limits(descriptors: 64), ownUser: 1000)
    for (descriptor, user) in [(1, 7), (2, nil), (3, nil)] as [(Int32, UInt32?)] {
      let program = PeerProgram(number: 71)
      _ = table.accept(descriptor, .control, user: user, program: program, now: 0)
    }
    let serials = (0..<2).map { _ in table.makeSerial() }
    _ = table.identify(serials[0], 1, .control)
    _ = table.identify(serials[1], 2, .control, as: .key("laptop", [1]))
    #expect(table.peer(1, .control) == (serials[0], "user 7, pid 71"))
    #expect(table.peer(2, .control) == (serials[1], "key laptop"))
    #expect(table.peer(3, .control) == (nil, nil))
    #expect(table.peer(4, .control) == (nil, nil))
  }

  @Test func `At the end all are reported`() {
    var reports = CutReports()
    for _ in 0..<2 {
      reports.add(cut(nil))
      _ = reports.take(at: 0)
    }
    let line = reports.take(at: 1, isLast: true).first
    #expect(line?.details == ["connection": "unknown"])
    #expect(reports.take(at: 2, isLast: true) == [])
  }
}
