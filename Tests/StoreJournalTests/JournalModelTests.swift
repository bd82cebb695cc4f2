import Foundation
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreJournal

/// Daemons perform a seed's random operations on a journal, beside a model of the acknowledged
/// data.
///
/// Readers must find exactly the model's data.
@Suite(.timeLimit(.minutes(2))) struct JournalModelTests {
  private static let seeds =
    ProcessInfo.processInfo.environment["JOURNAL_SEEDS"].flatMap { UInt64($0) } ?? 20

  /// A daemon's journal, and the data that was acknowledged.
  private struct Model {
    let directory: String
    var random: Numbers
    /// The contents of each revision's record, from 1 on.
    var records: [[UInt8]] = []
    var snapshots: [UInt64] = []
    var epoch: UInt64 = 7
    var isClean = false
    var file: JournalDirectory?
    var previous: JournalBatch?

    var newest: UInt64 { UInt64(records.count) }

    mutating func draw(_ count: UInt64) -> UInt64 { random.next() % count }

    mutating func opened() throws -> JournalDirectory {
      let (schema, bytes) = (SchemaRegistry.document(for: [Int].self), [1, 300, 1000, 64 << 10])
      return try JournalDirectory(
        directory: directory,
        root: "Test",
        schema: schema,
        durability: Durability.allCases[Int(draw(3))],
        epoch: 7,
        segmentBytes: bytes[Int(draw(4))],
      )
    }

    mutating func begin() throws {
      let next = try opened()
      try check(next)
      try next.begin()
      (file, isClean, previous) = (next, false, nil)
      if snapshots.isEmpty { try snapshot() }
    }

    mutating func batch() -> JournalBatch {
      let first = newest + 1
      var bytes: [UInt8] = []
      for revision in first...first + draw(4) {
        let name = String(repeating: "x", count: Int(draw(draw(8) == 0 ? 3000 : 60)))
        let record = JournalRecord(
          revision: revision,
          wallMilliseconds: draw(1 << 40),
          origin: .internal(JournalRecord.InternalAction(name: name)),
          delta: nil,
        )
        var encoder = CBOREncoder.durable
        record.encode(to: &encoder)
        records.append(encoder.bytes)
        bytes += encoder.bytes
      }
      return JournalBatch(revisions: first...newest, records: bytes, sessionNumbers: newest)
    }

    mutating func snapshot() throws {
      guard let file else { return }
      let state = Int(newest)
      try file.write(
        SnapshotBytes.encode(revision: newest, KeptHistory()) { [state].encode(to: &$0) },
        of: newest,
      )
      try file.checkSnapshot(before: newest)
      JournalDirectory.remove(try file.unneededSnapshots())
      snapshots = (snapshots.filter { $0 != newest } + [newest]).suffix(2)
    }

    mutating func append(to file: JournalDirectory) throws {
      let next = batch()
      try file.append(next)
      previous = next
    }

    mutating func step() throws {
      guard let file else { return try begin() }
      switch draw(20) {
      case 0..<8: try append(to: file)
      case 8: if let previous { try file.append(previous) }
      case 9:
        epoch = random.next()
        try file.renew(epoch: epoch)
      case 10, 11: try snapshot()
      case 12: while try file.trim(Retention(bytes: Int(draw(2000)))) {}
      case 13: _ = try file.makeRoom()
      case 14: while file.prepare() {}
      case 15:
        try file.close()
        (self.file, isClean) = (nil, true)
      case 16: self.file = nil
      case 17: try takeOver(from: file)
      default: try read()
      }
    }

    /// Another daemon begins while the first one runs.
    private mutating func takeOver(from first: JournalDirectory) throws {
      let late = try opened()
      if draw(2) == 0 {
        try append(to: first)
        #expect(throws: JournalError.self) { try late.begin() }
        return
      }
      try begin()
      let under = batch()
      records.removeLast(under.revisions.count)
      let attempts: [() throws -> Void] = [
        { try first.append(under) }, { try first.renew(epoch: 1) }, { try first.close() },
        { _ = try first.trim(.nothing) }, { _ = try first.unneededSnapshots() },
      ]
      for attempt in attempts {
        let error = #expect(throws: JournalError.self) { try attempt() }
        #expect(error?.code == .fenced, "\(error as Any)")
      }
      #expect(throws: JournalError.self) { try late.begin() }
    }

    /// Compares the data that a starting daemon finds with the model.
    private func check(_ file: JournalDirectory) throws {
      let opening = file.opening
      if newest > 0 {
        let survey = try LogSurvey(directory)
        #expect(survey.problems == [])
        #expect(survey.segments.last?.end == (isClean ? .clean : .open))
      }
      #expect(opening.newest == newest && opening.epoch == epoch && opening.isClean == isClean)
      #expect(opening.tornBytes == 0 && opening.doubt == nil)
      var (start, found) = (UInt64(0), [UInt8]())
      _ = try file.read { part throws(CodecError) in
        switch part {
        case .build: break
        case .snapshot(let bytes): start = try SnapshotBytes.decode(bytes[...]).revision
        case .records(let bytes, _): found += bytes
        }
      }
      #expect(start == snapshots.last ?? 0)
      #expect(found == records[Int(start)...].flatMap { $0 })
    }

    /// Compares the data of a reader and of a copy with the model.
    private mutating func read() throws {
      let copy = "\(directory).copy"
      defer { try? FileManager.default.removeItem(atPath: copy) }
      let reader = try JournalReader(directory: directory)
      let through = draw(3) == 0 ? UInt64?.none : newest - draw(newest - snapshots[0] + 1)
      #expect(try reader.copy(to: copy, through: through) == through ?? newest)
      for (reader, last) in [(reader, newest), (try JournalReader(directory: copy), through)] {
        let last = last ?? newest
        let extent = try reader.extent()
        #expect(extent.newest == last && extent.snapshots == snapshots.filter { $0 <= last })
        var found: [UInt8] = []
        try reader.records(after: extent.beforeRecords) {
          found += $0.bytes
          return true
        }
        #expect(found == records[Int(min(extent.beforeRecords, last))..<Int(last)].flatMap { $0 })
        #expect(try reader.heading().epoch == epoch)
      }
    }
  }

  @Test(arguments: 0..<seeds)
  func `Acknowledged records are read, after any steps of the daemons`(seed: UInt64) throws {
    let directory = try JournalDirectoryTests.Directory()
    var model = Model(directory: directory.path, random: Numbers(state: seed))
    for _ in 0..<80 { try model.step() }
    model.file = nil
    try model.begin()
  }
}
