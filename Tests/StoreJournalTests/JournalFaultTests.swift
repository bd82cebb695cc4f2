import Foundation
import StoreHistory
import StoreProtocol
import StoreState
import Testing

@testable import StoreJournal

/// Acknowledged entries survive other faults, and an intact journal is not refused.
@Suite(.timeLimit(.minutes(1))) struct JournalFaultTests {
  private let directory: JournalDirectoryTests.Directory

  init() throws { directory = try JournalDirectoryTests.Directory() }

  private func unbegun(segmentBytes: Int = 64 << 10) throws -> JournalDirectory {
    try JournalDirectory(
      directory: directory.path,
      root: "Test",
      schema: SchemaRegistry.document(for: [Int].self),
      durability: .full,
      epoch: 7,
      segmentBytes: segmentBytes,
    )
  }

  /// Returns a history with a snapshot of revision 0, and a record of each revision up to another.
  private func history(
    through last: UInt64,
    segmentBytes: Int = 64 << 10,
  ) throws -> JournalDirectory {
    let file = try unbegun(segmentBytes: segmentBytes)
    try file.begin()
    try file.write([0], of: 0)
    for revision in stride(from: 1, through: last, by: 1) { try file.append(batch(revision)) }
    return file
  }

  private func batch(_ revision: UInt64) -> JournalBatch {
    JournalBatch(
      revisions: revision...revision,
      records: [UInt8(revision)],
      sessionNumbers: 3,
    )
  }

  /// Returns the records that a daemon reads.
  private func records(_ file: JournalDirectory) throws -> [UInt8] {
    var records: [UInt8] = []
    _ = try file.read { part throws(CodecError) in
      if case .records(let bytes, _) = part { records += bytes }
    }
    return records
  }

  private func code(_ body: () throws -> Void) -> JournalError.Code? {
    do { try body() } catch { return (error as? JournalError)?.code }
    return nil
  }

  private func newestPath() throws -> String {
    try #require(LogSegment.all(in: directory.path).last).path(in: directory.path)
  }

  @Test func `Damage of the last entry before a clean end is an error, at any byte`() throws {
    try history(through: 3).close()
    let whole = try SegmentEditor(try newestPath())
    try #require(whole.entries.count == 4)
    for place in whole.entries[2].prefix(LogEntry.Head.bytes + 1) {
      try whole.write { $0.bytes[place] ^= 1 }
      #expect(code { _ = try records(try unbegun()) } == .corrupt, "byte \(place)")
      let reader = try JournalReader(directory: directory.path)
      #expect(try reader.extent().newest == 3, "byte \(place)")
    }
  }

  @Test func `Damage before a snapshot does not concern a daemon, in any form`() throws {
    let file = try history(through: 9)
    try file.write([5], of: 5)
    let whole = try SegmentEditor(try newestPath())
    for entry in 0..<5 {
      for place in whole.entries[entry].prefix(LogEntry.Head.bytes + 1) {
        for bit in 0..<8 {
          try whole.write { $0.bytes[place] ^= 1 << UInt8(bit) }
          let found = try? records(try unbegun())
          #expect(found == [6, 7, 8, 9], "entry \(entry), byte \(place), bit \(bit)")
        }
      }
    }
    withExtendedLifetime(file) {}
  }

  @Test func `A seal stays, in spite of later takeovers`() throws {
    let first = try history(through: 1)
    let (second, third) = (try unbegun(), try unbegun())
    try second.begin()
    // The third daemon finds this out after its own seal.
    #expect(code { _ = try third.seal(by: 2) } == .busy)
    #expect(code { try first.append(self.batch(2)) } == .fenced)
    try second.append(batch(2))
  }

  /// A change of a log after another daemon has listed it, and before that daemon seals the
  /// newest segment.
  private enum Meanwhile: CaseIterable {
    case entry, segment, emptySegment, end, takeover
  }

  @Test(arguments: Meanwhile.allCases)
  private func `A late seal after the log grew is refused, and no record is lost`(
    _ meanwhile: Meanwhile
  ) throws {
    let segmentBytes = meanwhile == .segment ? 1 : 64 << 10
    let first = try history(
      through: meanwhile == .emptySegment ? 0 : 2,
      segmentBytes: segmentBytes,
    )
    let late = try unbegun()
    let before = try newestPath()
    var other: JournalDirectory?
    let refusal = code {
      _ = try late.seal(by: 2) {
        do {
          switch meanwhile {
          case .entry, .segment: try first.append(batch(3))
          case .emptySegment: try first.renew(epoch: 7)
          case .end: try first.close()
          case .takeover:
            other = try unbegun()
            try other?.begin()
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(refusal == .busy)
    let after = try newestPath()
    let isMoved = [.segment, .emptySegment, .takeover].contains(meanwhile)
    #expect((before != after) == isMoved, "\(before) \(after)")
    // The segment that was the newest one has the seal: only its writer is fenced.
    switch meanwhile {
    case .entry: #expect(code { try first.append(self.batch(4)) } == .fenced)
    case .segment: try first.append(batch(4))
    case .emptySegment: try first.append(batch(1))
    case .end: break
    case .takeover: try other?.append(batch(3))
    }
    let last: UInt8 =
      switch meanwhile {
      case .takeover: 3
      // An entry that was refused under the seal was not acknowledged; it may exist.
      case .entry, .segment: 4
      case .emptySegment: 1
      case .end: 2
      }
    let again = try unbegun()
    #expect(try records(again) == Array(1...last))
    // The daemon of that seal has written no entry.
    #expect((again.opening.doubt == nil) == isMoved)
    withExtendedLifetime(other) {}
  }

  @Test func `A daemon that could not begin after a torn tail may try again`() throws {
    let file = try history(through: 3)
    try SegmentEditor(try newestPath()).write {
      $0.header.boot = "earlier"
      $0.bytes[$0.entries[2].lowerBound + LogEntry.Head.bytes] ^= 1
    }
    let again = try unbegun()
    // The daemon seals the segment, but has no room for another one.
    _ = try again.seal(by: 2)
    #expect(code { try again.begin() } == nil)
    withExtendedLifetime(file) {}
  }

  @Test func `Large numbers in names do not change the history`() throws {
    try history(through: 3).close()
    for name in [
      "log/00000000000000000000-1.log", "log/00000000000000000009-18446744073709551615.log",
      "log/18446744073709551615-1.log", "snapshots/18446744073709551615.snapshot",
    ] {
      try Data().write(to: URL(fileURLWithPath: "\(directory.path)/\(name)"))
    }
    let again = try unbegun()
    #expect(try records(again) == [1, 2, 3])
    #expect(try JournalReader(directory: directory.path).extent().newest == 3)
    try again.begin()
    try again.append(batch(4))
    #expect(try !again.trim(.nothing))
  }

  @Test func `A snapshot that cannot be read does not say where history ends`() throws {
    try history(through: 3).close()
    try Data([1]).write(
      to: URL(fileURLWithPath: SnapshotFile.path(of: 9, in: directory.path))
    )
    let again = try unbegun()
    #expect(try records(again) == [1, 2, 3])
    try again.begin()
    #expect(code { try again.append(self.batch(4)) } == nil)
  }

  @Test func `A segment without a readable entry is missed`() throws {
    let file = try history(through: 3, segmentBytes: 1)
    try file.write([2], of: 2)
    try file.close()
    let first = try #require(LogSegment.all(in: directory.path).first)
    try SegmentEditor(first.path(in: directory.path)).write {
      $0.bytes[$0.entries[0].lowerBound] ^= 1
    }
    let reader = try JournalReader(directory: directory.path)
    #expect(throws: HistoryError.self) { try reader.records(after: 0) { _ in true } }
  }

  @Test func `A log of a store that was used before begins where its snapshot is`() throws {
    let first = try unbegun()
    try first.begin(at: 2)
    try first.write([2], of: 2)
    let second = try unbegun()
    try second.begin(at: 2)
    try second.append(batch(3))
    let reader = try JournalReader(directory: directory.path)
    #expect(try reader.extent().beforeRecords == 2)
    #expect(throws: Never.self) { try reader.records(after: 0) { _ in true } }
    #expect(try unbegun().opening.doubt == nil)
    withExtendedLifetime(first) {}
  }

  @Test func `A segment for whose name there was no descriptor is begun as soon as there is one`()
    throws
  {
    let file = try history(through: 1, segmentBytes: 1)
    var limit = rlimit()
    getrlimit(Self.descriptors, &limit)
    let all = limit
    // The file's own descriptor, and no further one.
    let next = dup(0)
    close(next)
    limit.rlim_cur = rlim_t(next) + 1
    setrlimit(Self.descriptors, &limit)
    let refusal = code { try file.append(self.batch(2)) }
    limit = all
    setrlimit(Self.descriptors, &limit)
    #expect(refusal == .busy)
    #expect(code { try file.append(self.batch(2)) } == nil)
  }

  #if canImport(Glibc)
  private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let descriptors = RLIMIT_NOFILE
  #endif

  #if os(Linux)
  @Test func `A file that is shorter than before is read up to its end`() throws {
    // A daemon that stops truncates the room after the end while others read. Files of sysfs report
    // the size of a page, and are shorter.
    let path = "/sys/kernel/mm/transparent_hugepage/enabled"
    guard let whole = FileManager.default.contents(atPath: path) else { return }
    #expect(try DurableFile.read(path).map { Data($0) } == whole)
  }
  #endif

  @Test func `An entry that is written during a read is no damage, however often that happens`()
    throws
  {
    let file = try history(through: 5)
    let path = try newestPath()
    let whole = try SegmentEditor(path)
    /// Simulates the view of a reader that two writes overtake.
    func tear(_ entry: Int) throws {
      try whole.write { $0.bytes[$0.entries[entry].lowerBound + LogEntry.Head.bytes] ^= 1 }
    }
    try tear(2)
    var found: [UInt64] = []
    let log = LogReading(directory: directory.path, isWritten: true)
    try log.entries(after: 0, of: try LogSegment.all(in: directory.path)) {
      found.append($0.head.last)
      if found == [1, 2] { try tear(3) } else { try whole.write() }
      return true
    }
    #expect(found == [1, 2, 3, 4, 5])
    try tear(3)
    #expect(throws: LogReading.Damage.self) {
      try log.entries(after: 0, of: try LogSegment.all(in: directory.path)) { _ in true }
    }
    withExtendedLifetime(file) {}
  }
}
