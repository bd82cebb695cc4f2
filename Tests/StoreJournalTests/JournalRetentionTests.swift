import Foundation
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreJournal

/// Old history is removed even if it is damaged, and the remedies for damage succeed.
@Suite(.timeLimit(.minutes(1))) struct JournalRetentionTests {
  private let directory: JournalDirectoryTests.Directory

  init() throws { directory = try JournalDirectoryTests.Directory() }

  private func unbegun() throws -> JournalDirectory {
    try JournalDirectory(
      directory: directory.path,
      root: "Test",
      schema: SchemaRegistry.document(for: [Int].self),
      durability: .full,
      epoch: 7,
      segmentBytes: 1,
    )
  }

  private static func snapshot(_ revision: UInt64) -> [UInt8] {
    SnapshotBytes.encode(revision: revision, KeptHistory()) { [Int(revision)].encode(to: &$0) }
  }

  /// Appends one record per revision, each in its own segment.
  private func append(
    _ revisions: ClosedRange<UInt64>,
    to file: JournalDirectory,
    at time: (UInt64) -> UInt64 = { 1000 * $0 },
  ) throws {
    for revision in revisions {
      var encoder = CBOREncoder.durable
      JournalRecord(
        revision: revision,
        wallMilliseconds: time(revision),
        origin: .daemon,
        delta: nil,
      ).encode(to: &encoder)
      try file.append(
        JournalBatch(
          revisions: revision...revision,
          records: encoder.bytes,
          sessionNumbers: 1,
        )
      )
    }
  }

  private func keep(_ revision: UInt64, in file: JournalDirectory) throws {
    try file.write(Self.snapshot(revision), of: revision)
    JournalDirectory.remove(try file.unneededSnapshots())
  }

  private var segments: [LogSegment] { get throws { try LogSegment.all(in: directory.path) } }

  private func path(of first: UInt64) throws -> String {
    try #require(segments.first { $0.first == first }).path(in: directory.path)
  }

  private func flipHeader(of first: UInt64) throws {
    try SegmentEditor(try path(of: first)).write { $0.bytes[40] ^= 1 }
  }

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return "\(error)"
    }
  }

  /// A history of twelve revisions with snapshots of 9 and 12, which another daemon continues after
  /// one byte of some headers has changed.
  private func damaged(_ firsts: [UInt64]) throws -> JournalDirectory {
    let file = try unbegun()
    try file.begin()
    try append(1...12, to: file)
    for revision in [9, 12] as [UInt64] { try keep(revision, in: file) }
    try file.close()
    for first in firsts { try flipHeader(of: first) }
    let again = try unbegun()
    _ = try again.read { _ throws(CodecError) in }
    try again.begin()
    try append(13...13, to: again)
    return again
  }

  @Test(arguments: [[1], [2], [5, 6], [3, 4, 5, 6, 7, 8, 9]] as [[UInt64]])
  func `Damage that no restart needs is removed as usual, by bytes and on a full disk`(
    _ firsts: [UInt64]
  ) throws {
    let file = try damaged(firsts)
    let size = Retention(bytes: 40)
    while try file.trim(size) {}
    let first = try #require(segments.first?.first)
    #expect(first > 2 && first <= 10, "\(first)")
    #expect(try file.makeRoom() == (first < 10))
    #expect(try segments.first?.first == 10)
    // All of the damage is removed.
    #expect(try JournalReader.whole(directory: directory.path).extent().beforeRecords == 9)
  }

  @Test(arguments: [[2], [3, 4], [2, 3, 4, 5, 6, 7, 8, 9, 10]] as [[UInt64]])
  func `Damage that no restart needs is removed as usual by its age`(
    _ firsts: [UInt64]
  ) throws {
    let file = try damaged(firsts.filter { $0 <= 9 })
    while try file.trim(Retention(age: .milliseconds(500)), at: 13_000) {}
    #expect(try segments.first?.first == 10)
  }

  @Test func `Damaged history has an estimated size, so that no more than requested is removed`()
    throws
  {
    let file = try damaged([4])
    // The retention exceeds all existing history.
    #expect(try !file.trim(Retention(bytes: 1 << 20)))
    #expect(try segments.first?.first == 1)
  }

  @Test func `Torn ends count as bytes of kept history, and their excess is removed`() throws {
    let file = try damaged([])
    let size = Retention(bytes: 10_000)
    #expect(try !file.trim(size))
    // The torn end of the newest segment, which is kept.
    let torn = try #require(segments.last).tornPath(in: directory.path)
    for (count, isTooMuch) in [(5_000, false), (10_000, true)] {
      try Data(count: count).write(to: URL(fileURLWithPath: torn))
      while try file.trim(size) {}
      #expect(try segments.first?.first == (isTooMuch ? 10 : 1), "\(count) bytes")
    }
    #expect(FileManager.default.fileExists(atPath: torn))
  }

  @Test func `A clock that is ahead when a daemon starts does not age earlier records`() throws {
    let file = try unbegun()
    try file.begin()
    try append(1...12, to: file)
    try file.close()
    let ahead = 40 * 86_400_000 as UInt64
    let again = try unbegun()
    try again.begin()
    try append(13...18, to: again) { ahead + 1000 * $0 }
    for revision in [17, 18] as [UInt64] { try keep(revision, in: again) }
    let age = Retention(age: .seconds(60))
    #expect(try !again.trim(age, at: ahead + 18_000, after: .seconds(1)))
    // History that has aged while the daemon was writing is removed, by either clock.
    while try again.trim(age, at: ahead + 18_000, after: .seconds(65)) {}
    #expect(try segments.first?.first == 12)
  }

  // MARK: Room

  /// The number of bytes of the log's files.
  private var bytes: Int {
    get throws {
      let folder = LogSegment.folder(in: directory.path)
      return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) {
        $0 + (try DurableFile.size(of: "\(folder)/\($1)") ?? 0)
      }
    }
  }

  @Test func `A daemon that writes little makes no room for more, and one that writes much does`()
    throws
  {
    let file = try JournalDirectory(
      directory: directory.path,
      root: "Test",
      schema: SchemaRegistry.document(for: [Int].self),
      durability: .full,
      epoch: 7,
    )
    try file.begin()
    #expect(try bytes <= 1 << 20)
    func batch(_ revision: UInt64) -> JournalBatch {
      JournalBatch(
        revisions: revision...revision,
        records: Array(repeating: 1, count: 20_000),
        sessionNumbers: 1,
      )
    }
    #expect(try (1...3).map { try file.append(batch($0)) } == [false, false, false])
    #expect(try (4...6).map { try file.append(batch($0)) } == [true, false, false])
    #expect(try bytes <= 1 << 20)
    // At the end of its room it continues in prepared room, and grows until there is some.
    for revision in 7...60 as ClosedRange<UInt64> { #expect(try !file.append(batch(revision))) }
    #expect(try segments.count == 1)
    while file.prepare() {}
    #expect(try file.append(batch(61)))
    #expect(try segments.map(\.first) == [1, 61])
    for revision in 62...261 as ClosedRange<UInt64> { #expect(try !file.append(batch(revision))) }
    #expect(try segments.count == 2)
  }

  // MARK: Advice

  /// Returns the revision that a message names for a restore; nil if it names no revision.
  private func advised(_ message: String) -> UInt64? {
    message.components(separatedBy: "--through ").dropFirst().first
      .map { String($0.prefix { $0.isNumber }) }.flatMap { UInt64($0) }
  }

  @Test func `A restore up to the named revision succeeds, after any damage`() throws {
    for place in 1...12 as ClosedRange<UInt64> {
      let other = try JournalRetentionTests()
      let file = try other.unbegun()
      try file.begin()
      try file.write(Self.snapshot(0), of: 0)
      try other.append(1...12, to: file)
      try file.write(Self.snapshot(6), of: 6)
      try file.close()
      try other.flipHeader(of: place)
      try other.follow(place)
    }
  }

  /// Follows the remedy for a damaged header.
  private func follow(_ place: UInt64) throws {
    let (copy, whole) = ("\(directory.path)/copy", "\(directory.path)/whole")
    let start = message {
      let file = try unbegun()
      _ = try file.read { _ throws(CodecError) in }
    }
    let reading = message {
      let reader = try JournalReader.whole(directory: directory.path)
      try reader.records(after: 0) { _ in true }
    }
    #expect(reading != "", "revision \(place)")
    let reader = try JournalReader(directory: directory.path)
    if start == "" {
      // A daemon starts, and no message advises it to give up later revisions.
      #expect(place <= 6 && advised(reading) == nil, "revision \(place): \(reading)")
      #expect(reading.contains("snapshot of revision 6"), "\(reading)")
      #expect(try reader.copy(to: whole) == 12)
    } else {
      #expect(advised(start) == place - 1 && advised(reading) == place - 1, "\(start) \(reading)")
      #expect(try reader.copy(to: copy, through: place - 1) == place - 1)
    }
  }

  @Test func `No advice leads to an error`() throws {
    let file = try unbegun()
    try file.begin()
    try append(1...12, to: file)
    for revision in [9, 12] as [UInt64] { try keep(revision, in: file) }
    while try file.trim(.nothing) {}
    try file.close()
    try #require(segments.first?.first == 10)
    // No state of revision 9 or an earlier one is readable.
    try FileManager.default.removeItem(atPath: "\(directory.path)/snapshots/9.snapshot")
    #expect(!JournalReader.remedy(for: directory.path, upTo: 10).contains("--through"))
    #expect(JournalReader.remedy(for: directory.path).contains("--through 12"))
    #expect(!JournalReader.remedy(for: directory.path, upTo: nil).contains("--through"))
    try Data([1]).write(to: URL(fileURLWithPath: "\(directory.path)/snapshots/12.snapshot"))
    #expect(!JournalReader.remedy(for: directory.path).contains("--through"))
  }
}
