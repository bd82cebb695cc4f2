import Foundation
import GRDB
import StoreState
import Testing

@testable import StoreJournal
@testable import StoreReplication

/// A journal of which some bits are not what they were: it is refused with what helps, or read.
@Suite(.timeLimit(.minutes(2))) struct JournalDamageTests {
  private let directory: JournalFileTests.Directory

  init() throws { directory = try JournalFileTests.Directory() }

  private static let schema = SchemaRegistry.document(for: [Int].self)

  private func open(_ directory: String) throws -> JournalFile {
    try JournalFile(
      directory: directory,
      root: "Test",
      schema: Self.schema,
      durability: .none,
      epoch: 7,
    )
  }

  private static func snapshot(_ revision: UInt64) -> [UInt8] {
    SnapshotBytes.encode(revision: revision, KeptHistory()) { [Int(revision)].encode(to: &$0) }
  }

  private static func batch(_ revisions: ClosedRange<UInt64>) -> JournalBatch {
    var encoder = CBOREncoder.durable
    for revision in revisions {
      JournalRecord(revision: revision, wallMilliseconds: 1, origin: .daemon, delta: nil)
        .encode(to: &encoder)
    }
    return JournalBatch(revisions: revisions, records: encoder.bytes, sessionNumbers: 1)
  }

  /// A journal of some revisions, with snapshots of 0 and 6, in a file of small pages.
  private func journal() throws {
    let file = try open(directory.path)
    try file.begin()
    _ = try file.keep(try file.write(Self.snapshot(0), of: 0))
    for revision in stride(from: 1, through: 19, by: 3) as StrideThrough<UInt64> {
      try file.append(Self.batch(revision...revision + 2))
      if revision == 4 { _ = try file.keep(try file.write(Self.snapshot(6), of: 6)) }
    }
    try file.close()
    let queue = try DatabaseQueue(path: "\(directory.path)/journal.sqlite")
    try queue.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM")
    }
    try queue.close()
  }

  /// What a daemon does with a journal, and what those do who look at it; what was wrong.
  private func use(_ path: String, into copy: String) -> [any Error] {
    var errors: [any Error] = []
    func attempt(_ body: () throws -> Void) { do { try body() } catch { errors.append(error) } }
    attempt {
      let reader = try JournalReader(directory: path)
      _ = try reader.extent()
      _ = try reader.heading()
      try reader.records(after: 0) { part throws(HistoryError) in
        try part.withRecords { _, _ throws(HistoryError) in true }
      }
      _ = try reader.copy(to: copy)
    }
    attempt {
      let file = try open(path)
      var (revision, end): (UInt64, UInt64) = (0, 0)
      _ = try file.read { part throws(CodecError) in
        switch part {
        case .build: break
        case .snapshot(let bytes): revision = try SnapshotBytes.decode(bytes[...]).revision
        case .records(let bytes, _):
          var decoder = CBORDecoder(bytes)
          while decoder.offset < bytes.count {
            revision = try JournalRecord(from: &decoder).revision
          }
        }
      }
      end = revision
      try file.begin()
      try file.append(Self.batch(end + 1...end + 1))
      _ = try file.keep(try file.write(Self.snapshot(end + 1), of: end + 1))
      _ = try file.trim(.nothing)
      try file.close()
    }
    return errors
  }

  @Test func `Whichever bit is not what it was, a journal is read or refused with what helps`()
    throws
  {
    try journal()
    let manager = FileManager.default
    let whole = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/journal.sqlite"))
    let used = whole.indices.filter { whole[$0] != 0 }
    let (path, copy) = ("\(directory.path)/damaged", "\(directory.path)/copy")
    var random = Numbers(state: 1)
    for _ in 0..<120 {
      for path in [path, copy] where manager.fileExists(atPath: path) {
        try manager.removeItem(atPath: path)
      }
      try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
      try manager.copyItem(
        atPath: "\(directory.path)/snapshots",
        toPath: "\(path)/snapshots",
      )
      let place = used[Int(random.next() % UInt64(used.count))]
      let bit = random.next() % 8
      var damaged = whole
      damaged[place] ^= 1 << UInt8(bit)
      try damaged.write(to: URL(fileURLWithPath: "\(path)/journal.sqlite"))
      for error in use(path, into: copy) {
        let words = "\(error)"
        let isDamage = (error as? HistoryError)?.code == .corrupt || JournalFile.isDamage(error)
        #expect(
          !isDamage || ["estore", "snapshot", "daemon starts"].contains { words.contains($0) },
          "byte \(place), bit \(bit): \(words)",
        )
      }
    }
  }

  /// Numbers that are the same in each run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 16
    }
  }

  @Test(arguments: ["last", "build", "sessions", "total", "before", "sum", "records"])
  func `A column of another kind is damage of its row, which is named`(_ column: String) throws {
    try journal()
    let queue = try DatabaseQueue(path: "\(directory.path)/journal.sqlite")
    let value = column == "records" ? "7.5" : "'text'"
    try queue.writeWithoutTransaction {
      try $0.execute(sql: "UPDATE log SET \(column) = \(value) WHERE first = 10")
    }
    try queue.close()
    let error = #expect(throws: JournalError.self) { _ = try open(directory.path).read { _ in } }
    #expect(error?.code == .corrupt && error?.message.contains("--through 9") == true)
  }

  @Test func `A table that is gone is damage, and is not made anew`() throws {
    try journal()
    let queue = try DatabaseQueue(path: "\(directory.path)/journal.sqlite")
    try queue.writeWithoutTransaction { try $0.execute(sql: "DROP TABLE log") }
    try queue.close()
    for _ in 1...2 {
      let error = #expect(throws: JournalError.self) { _ = try open(directory.path).read { _ in } }
      #expect(error?.code == .corrupt && error?.message.contains("Restore a backup") == true)
    }
  }
}
