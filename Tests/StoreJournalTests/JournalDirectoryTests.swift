import Foundation
import StoreHistory
import StoreState
import Synchronization
import Testing

@testable import StoreJournal

/// A journal's directory: readers find exactly the appended data.
@Suite(.timeLimit(.minutes(1))) struct JournalDirectoryTests {
  /// A directory that is removed with its test.
  final class Directory: Sendable {
    let path: String

    init() throws {
      path = "\(NSTemporaryDirectory())/journal-\(UUID())"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private let directory: Directory

  init() throws { directory = try Directory() }

  private static let schema = SchemaRegistry.document(for: [Int].self)

  private func open(
    root: String = "Test",
    schema: SchemaDocument = schema,
    durability: Durability = .full,
    epoch: UInt64 = 7,
    segmentBytes: Int = 64 << 10,
  ) throws -> JournalDirectory {
    let file = try unbegun(
      root: root,
      schema: schema,
      durability: durability,
      epoch: epoch,
      segmentBytes: segmentBytes,
    )
    try file.begin()
    return file
  }

  /// Opens a file, without a change to it.
  private func unbegun(
    root: String = "Test",
    schema: SchemaDocument = schema,
    durability: Durability = .full,
    epoch: UInt64 = 7,
    segmentBytes: Int = 64 << 10,
  ) throws -> JournalDirectory {
    try JournalDirectory(
      directory: directory.path,
      root: root,
      schema: schema,
      durability: durability,
      epoch: epoch,
      segmentBytes: segmentBytes,
    )
  }

  /// Writes a snapshot, and removes the files that it replaces.
  private func keep(_ bytes: [UInt8], of revision: UInt64, in file: JournalDirectory) throws {
    try file.write(bytes, of: revision)
    JournalDirectory.remove(try file.unneededSnapshots())
  }

  private var snapshots: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/snapshots").sorted()
    }
  }

  private func batch(_ revisions: ClosedRange<UInt64>) -> JournalBatch {
    JournalBatch(revisions: revisions, records: [UInt8(revisions.lowerBound)], sessionNumbers: 3)
  }

  /// Describes the parts that are read.
  private func parts(_ file: JournalDirectory) throws -> [String] {
    var parts: [String] = []
    _ = try file.read { part throws(CodecError) in
      switch part {
      case .build: parts.append("build")
      case .snapshot(let bytes): parts.append("snapshot \(bytes)")
      case .records(let bytes, let sessions): parts.append("records \(bytes) \(sessions)")
      }
    }
    return parts
  }

  /// The segments, oldest first.
  private var segments: [LogSegment] {
    get throws { try LogSegment.all(in: directory.path) }
  }

  /// The path of the segment that begins with a revision.
  private func path(of first: UInt64) throws -> String {
    try #require(segments.first { $0.first == first }).path(in: directory.path)
  }

  /// The id of another boot of the machine.
  private static let otherBoot = String(repeating: "0", count: JournalDirectory.boot().count)

  /// Changes the header of a segment.
  private func change(_ path: String, _ body: (inout LogHeader) -> Void) throws {
    try SegmentEditor(path).write { body(&$0.header) }
  }

  /// Begins a file with the state of revision 0.
  private func begin(durability: Durability = .full) throws -> JournalDirectory {
    let file = try open(durability: durability)
    try keep([0], of: 0, in: file)
    return file
  }

  @Test func `Appended records are read again, in their order`() throws {
    let file = try begin()
    try file.append(batch(1...2))
    try file.append(batch(3...3))
    try file.close()
    let again = try open(epoch: 8)
    #expect(again.opening.epoch == 7 && again.opening.isClean && again.opening.isSameBuild)
    #expect(again.opening.newest == 3 && again.opening.term == 1)
    #expect(again.opening.doubt == nil && again.opening.tornBytes == 0)
    #expect(try parts(again) == ["build", "snapshot [0]", "records [1] 3", "records [3] 3"])
  }

  @Test func `Only the owner may read the records, also in an open directory`() throws {
    let file = try begin()
    try file.append(batch(1...1))
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: "\(directory.path)/\(name)"
      )
      let mode = try #require(attributes[.posixPermissions] as? Int)
      let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect(mode == (isDirectory ? 0o700 : 0o600), "\(name)")
    }
    try file.close()
  }

  @Test func `A history that was not closed is marked so, and continues in its epoch`() throws {
    let file = try open()
    try file.append(batch(1...1))
    let again = try open(epoch: 8)
    #expect(again.opening.epoch == 7 && !again.opening.isClean && again.opening.isSameBuild)
    #expect(again.opening.newest == 1 && again.opening.term == 1)
  }

  @Test(arguments: [Durability.batched, .none])
  func `After an end of the machine a history that was not synced has another epoch`(
    _ durability: Durability
  ) throws {
    _ = try open(durability: durability)
    #expect(try open(durability: durability).opening.epoch == 7, "The machine did not end")
    try change(try path(of: 1)) { $0.boot = Self.otherBoot }
    #expect(try open(durability: durability).opening.epoch != 7)
  }

  @Test(arguments: [Durability.batched, .none])
  func `After a power failure unsynced records are cut off at the first lost one`(
    _ durability: Durability
  ) throws {
    let file = try begin(durability: durability)
    for revision in 1...5 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try SegmentEditor(try path(of: 1)).write { segment in
      segment.header.boot = Self.otherBoot
      segment.wipe(entry: 2)
    }
    let again = try open(durability: durability)
    #expect(again.opening.newest == 2 && again.opening.tornBytes > 0)
    #expect(again.opening.doubt != nil && again.opening.epoch != 7)
    #expect(try parts(again).suffix(2) == ["records [1] 3", "records [2] 3"])
    try again.append(batch(3...3))
    #expect(try parts(try unbegun()).count == 5)
    withExtendedLifetime(file) {}
  }

  @Test func `Unsynced records are not cut off if only the program ended`() throws {
    let file = try begin(durability: .none)
    for revision in 1...5 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try SegmentEditor(try path(of: 1)).write { $0.wipe(entry: 2) }
    #expect(message { _ = try parts(try unbegun()) }?.0 == .corrupt)
    withExtendedLifetime(file) {}
  }

  @Test func `A copy of a history has another epoch, for the history may have gone on`() throws {
    try open().close()
    let path = try path(of: 1)
    try FileManager.default.copyItem(atPath: path, toPath: "\(path).copy")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: "\(path).copy", toPath: path)
    #expect(try open().opening.epoch != 7)
  }

  @Test func `A history that was synced keeps its epoch, after any end`() throws {
    _ = try open()
    try change(try path(of: 1)) { $0.boot = Self.otherBoot }
    #expect(try open().opening.epoch == 7)
  }

  @Test func `A snapshot stands for all before it`() throws {
    let file = try open()
    try file.append(batch(1...2))
    try keep([9, 9], of: 2, in: file)
    try file.append(batch(3...3))
    #expect(try parts(try unbegun()) == ["build", "snapshot [9, 9]", "records [3] 3"])
  }

  @Test func `A snapshot that is damaged is passed over for the one before`() throws {
    let file = try open()
    try file.append(batch(1...1))
    try keep([8], of: 1, in: file)
    try file.append(batch(2...2))
    try keep([9], of: 2, in: file)
    try Data([7]).write(to: URL(fileURLWithPath: "\(directory.path)/snapshots/2.snapshot"))
    #expect(try parts(try unbegun()) == ["build", "snapshot [8]", "records [2] 3"])
    try FileManager.default.removeItem(atPath: "\(directory.path)/snapshots/1.snapshot")
    let refusal = try #require(message { _ = try parts(try unbegun()) })
    #expect(refusal.0 == .corrupt && refusal.1.contains("snapshots"))
  }

  @Test func `Old history is removed segment by segment, and needed segments stay`() throws {
    let file = try open(segmentBytes: 1)
    for revision in 1...20 as ClosedRange<UInt64> {
      try file.append(batch(revision...revision))
      if revision.isMultiple(of: 5) { try keep([UInt8(revision)], of: revision, in: file) }
    }
    #expect(try segments.map(\.first) == Array(1...20))
    #expect(try !file.trim(Retention(bytes: 1000)))
    #expect(try file.trim(Retention(bytes: 14)))
    #expect(try !file.trim(Retention(bytes: 14)))
    #expect(try parts(try unbegun()).count == 2 + 0, "All is in the newest snapshot")
    while try file.trim(.nothing) {}
    #expect(try segments.map(\.first) == Array(16...20))
    #expect(try snapshots == ["15.snapshot", "20.snapshot"])
    // The snapshot before the newest one is kept, with the records after it.
    try FileManager.default.removeItem(atPath: "\(directory.path)/snapshots/20.snapshot")
    #expect(try parts(try unbegun()).filter { $0.hasPrefix("records") }.count == 5)
  }

  @Test func `History that is too old is removed, also with few bytes`() throws {
    let file = try open(segmentBytes: 1)
    try append((1...9).map { 1000 * $0 }, to: file)
    let (day, all) = (Retention(age: .seconds(5)), Retention())
    #expect(try !file.trim(day, at: 6000), "No segment is older than five seconds")
    #expect(try !file.trim(all, at: 1_000_000))
    while try file.trim(day, at: 9000) {}
    // The next segment's start bounds the age of a segment.
    #expect(try segments.first?.first == 3)
    // A clock that is set ahead does not age the records.
    #expect(try !file.trim(day, at: 1_000_000))
    // The older snapshot's records are kept at any age.
    while try file.trim(Retention(age: .zero), at: 1_000_000) {}
    #expect(try segments.first?.first == 8)
  }

  @Test func `Records of a wrong clock are removed with the next ones`() throws {
    let file = try open(segmentBytes: 1)
    let times: [UInt64?] = [1000, 2_000_000_000, nil, 4000, 5000, 6000, 7000, 8000, 9000]
    try append(times, to: file)
    while try file.trim(Retention(age: .milliseconds(4500)), at: 9000) {}
    #expect(try segments.first?.first == 4)
  }

  @Test func `Snapshots that a crash left after their successors are not used at a start`() throws {
    let file = try open(segmentBytes: 1)
    for revision in 1...9 as ClosedRange<UInt64> {
      try file.append(batch(revision...revision))
      if [2, 6, 9].contains(revision) { try file.write([UInt8(revision)], of: revision) }
    }
    while try file.trim(.nothing) {}
    #expect(try snapshots == ["2.copy", "2.snapshot", "6.snapshot", "9.snapshot"])
    let extent = try JournalReader(directory: directory.path).extent()
    #expect(extent.oldestState == 6 && extent.snapshots == [6, 9] && extent.beforeRecords == 6)
    _ = try open()
    #expect(try snapshots == ["6.snapshot", "9.snapshot"])
  }

  @Test func `A batch that is larger than a segment has one of its own`() throws {
    let file = try begin()
    try file.append(batch(1...1))
    let large = JournalBatch(
      revisions: 2...2,
      records: Array(repeating: 5, count: 200_000),
      sessionNumbers: 3,
    )
    try file.append(large)
    try file.append(batch(3...3))
    #expect(try segments.map(\.first) == [1, 2, 3])
    #expect(try parts(try unbegun()).count == 5)
    #expect(!file.prepare(), "It is small")
    try file.close()
    #expect(try parts(try unbegun()).count == 5)
  }

  /// Appends a record for each time.
  ///
  /// A record without a time is unreadable. From the seventh revision on there are snapshots.
  private func append(_ times: [UInt64?], to file: JournalDirectory) throws {
    for (revision, time) in zip(UInt64(1)..., times) {
      let record = JournalRecord(
        revision: revision,
        wallMilliseconds: time ?? 0,
        origin: .internal(JournalRecord.InternalAction(name: "ticked")),
        delta: nil,
      )
      var encoder = CBOREncoder()
      record.encode(to: &encoder)
      try file.append(
        JournalBatch(
          revisions: revision...revision,
          records: time == nil ? [0] : encoder.bytes,
          sessionNumbers: 0,
        )
      )
      if revision >= 7 { try keep([UInt8(revision)], of: revision, in: file) }
    }
  }

  @Test func `The entry with a revision in its middle is the first one read after it`() throws {
    let file = try begin()
    for revisions in [1...3, 4...6, 7...9] as [ClosedRange<UInt64>] {
      try file.append(batch(revisions))
    }
    let log = LogReading(directory: directory.path)
    let found = try (0...9 as ClosedRange<UInt64>).map { revision in
      var found: [UInt64] = []
      try log.entries(after: revision, of: try segments) {
        found.append($0.head.first)
        return true
      }
      return found
    }
    let (all, last): ([UInt64], [UInt64]) = ([1, 4, 7], [7])
    #expect(found == [all, all, all, [4, 7], [4, 7], [4, 7], last, last, last, []])
  }

  @Test func `A snapshot that cannot be read is not one of the two that are kept`() throws {
    let file = try open()
    for revision in 1...3 as ClosedRange<UInt64> {
      try file.append(batch(revision...revision))
      if revision < 3 { try keep([UInt8(revision)], of: revision, in: file) }
    }
    try Data([7]).write(to: URL(fileURLWithPath: "\(directory.path)/snapshots/2.snapshot"))
    try file.checkSnapshot(before: 3)
    try keep([3], of: 3, in: file)
    #expect(try snapshots == ["1.snapshot", "3.snapshot"])
    while try file.trim(.nothing) {}
    try FileManager.default.removeItem(atPath: "\(directory.path)/snapshots/3.snapshot")
    #expect(try parts(try unbegun()).filter { $0.hasPrefix("records") }.count == 2)
  }

  @Test func `Files that were never finished go when a daemon begins`() throws {
    let file = try open()
    try file.append(batch(1...1))
    try keep([1], of: 1, in: file)
    let folder = "\(directory.path)/snapshots"
    try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/3.snapshot.new"))
    try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/notes.txt"))
    try Data([1]).write(to: URL(fileURLWithPath: "\(directory.path)/log/abc.new"))
    try file.close()
    let again = try open()
    #expect(again.opening.epoch == 7)
    #expect(try snapshots == ["1.copy", "1.snapshot", "notes.txt"])
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/log")
    #expect(names.sorted() == (try segments).map(\.name))
  }

  @Test func `A file replaces another one by a secret name, or not at all`() throws {
    let folder = directory.path
    let path = "\(folder)/file"
    // A user's file with the name that a draft might have.
    let other = path + DurableFile.draftSuffix
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
    for (byte, isOutdated) in [(1, false), (2, true), (3, false)] as [(UInt8, Bool)] {
      let isWritten = try DurableFile.write([byte], to: path) { isOutdated }
      #expect(isWritten == !isOutdated)
      #expect(try Data(contentsOf: URL(filePath: path)) == Data([isOutdated ? 1 : byte]))
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.sorted() == ["file", "file.new"])
  }

  // MARK: Refused openings

  @Test func `Opening a history changes no contents, until all of it could be read`() throws {
    try open().close()
    _ = try unbegun(schema: SchemaRegistry.document(for: [String].self))
    #expect(try unbegun().opening.isClean, "No writer has begun")
    _ = try open()
    #expect(try !unbegun().opening.isClean)
  }

  @Test func `A snapshot of a revision after the end shows that an older file was put back`() throws
  {
    let file = try begin()
    try file.append(batch(1...1))
    try file.close()
    let path = try path(of: 1)
    let old = try Data(contentsOf: URL(fileURLWithPath: path))
    let later = try open()
    try later.append(batch(2...2))
    try keep([2], of: 2, in: later)
    try later.close()
    // The same file, by its number, with its earlier contents.
    for segment in try segments.dropFirst() {
      try FileManager.default.removeItem(atPath: segment.path(in: directory.path))
    }
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: old)
    try handle.close()
    let again = try open()
    #expect(again.opening.epoch != 7)
    #expect(again.opening.doubt?.contains("revision 2") == true)
    #expect(try parts(again) == ["build", "snapshot [2]"], "The newest state that there is")
    try again.append(batch(3...3))
    #expect(try open().opening.epoch == again.opening.epoch, "The epoch changes once")
  }

  @Test func `Another epoch is there after any end`() throws {
    let file = try open()
    try file.renew(epoch: 99)
    #expect(try open().opening.epoch == 99)
  }

  /// Begins a file with a state, and appends a daemon's records.
  private func written(through last: UInt64) throws -> JournalDirectory {
    let file = try open()
    try keep(KeptNumbers.snapshot(0), of: 0, in: file)
    for revision in 1...last { try file.append(KeptNumbers.batch(revision...revision)) }
    return file
  }

  @Test func `A log that breaks off before its end is refused, not cut short`() throws {
    let file = try written(through: 5)
    let path = try path(of: 1)
    // The machine has restarted since.
    try SegmentEditor(path).write { $0.header.boot = "earlier" }
    let whole = try SegmentEditor(path)
    func read(_ body: (inout SegmentEditor) throws -> Void) throws -> (Int, Int) {
      var segment = whole
      try body(&segment)
      try segment.write()
      let found = try unbegun()
      let torn = found.opening.tornBytes > 0 ? 1 : 0
      return (torn, try parts(found).filter { $0.hasPrefix("rec") }.count)
    }
    #expect(try read { _ in } == (0, 5))
    // The interrupted write is cut off.
    let last = try #require(whole.entries.last)
    for length in [1, 8, 30, 56] {
      #expect(try read { $0.bytes.removeSubrange((last.lowerBound + length)...) } == (1, 4))
    }
    for place in last.prefix(LogEntry.Head.bytes + 1) {
      #expect(try read { $0.bytes[place] ^= 1 } == (1, 4), "byte \(place)")
    }
    #expect(try read { $0.wipe(entry: 4) } == (0, 4))
    // Any change before that is damage.
    for place in whole.entries[1].prefix(LogEntry.Head.bytes + 1) {
      let refusal = try #require(
        message { _ = try read { $0.bytes[place] ^= 1 } },
        "byte \(place)",
      )
      #expect(refusal.0 == .corrupt)
      #expect(
        refusal.1.contains("storectl restore \(directory.path) --data DIRECTORY --through 1"),
        "\(refusal.1)",
      )
    }
    let refusal = try #require(message { _ = try read { $0.wipe(entry: 1) } })
    #expect(refusal.0 == .corrupt && refusal.1.contains("revision 2 cannot be read"))
    let reader = try JournalReader(directory: directory.path)
    #expect(try reader.extent().newest == 5 && reader.heading().root == "Test")
    withExtendedLifetime(file) {}
  }

  @Test func `After an entry with any stated size, later entries are found`() throws {
    let file = try written(through: 9)
    let whole = try SegmentEditor(try path(of: 1))
    for entry in 0..<8 {
      let place = whole.entries[entry].lowerBound + 8
      let count = Int(LogHeader.number(whole.bytes[place..<place + 8]))
      for size in 0...600 {
        var segment = whole
        segment.bytes.replaceSubrange(place..<place + 8, with: LogHeader.littleEndian(size, 8))
        if size != count { try segment.write() }
        let found = try unbegun()
        #expect(found.opening.newest == 9 && found.opening.tornBytes == 0)
      }
      let refusal = try #require(message { _ = try parts(try unbegun()) })
      #expect(refusal.1.contains("--through \(entry)"))
    }
    // The same if the damaged entry is not needed.
    try whole.write { $0.bytes[$0.entries[2].lowerBound + 8] = 200 }
    try keep([5], of: 5, in: file)
    #expect(try parts(try unbegun()).count == 6)
    withExtendedLifetime(file) {}
  }

  @Test func `A client's bytes are no entry, also if they look like one`() throws {
    let file = try begin()
    try file.append(batch(1...1))
    var head = LogEntry.Head(
      kind: .records,
      count: 1,
      first: 3,
      last: 3,
      sessionNumbers: 3,
      before: 0,
    )
    let entry = LogEntry.encode(&head, [3], key: 0)
    try file.append(JournalBatch(revisions: 2...2, records: entry + entry, sessionNumbers: 3))
    try SegmentEditor(try path(of: 1)).write {
      $0.header.boot = "earlier"
      $0.bytes[$0.entries[1].lowerBound + 64] ^= 1
    }
    let again = try unbegun()
    #expect(again.opening.tornBytes > 0 && again.opening.newest == 1)
    #expect(try parts(again).count == 3)
    withExtendedLifetime(file) {}
  }

  @Test func `A last write that is torn is counted, and is not there any more from then on`()
    throws
  {
    let file = try begin()
    for revision in 1...5 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try SegmentEditor(try path(of: 1)).write {
      $0.header.boot = "earlier"
      $0.bytes[$0.entries[4].lowerBound + 64] ^= 1
    }
    let again = try open()
    #expect(again.opening.tornBytes > 0 && again.opening.newest == 4)
    #expect(try parts(again).filter { $0.hasPrefix("records") }.count == 4)
    try again.append(batch(5...6))
    let third = try unbegun()
    #expect(third.opening.tornBytes == 0 && third.opening.newest == 6)
    #expect(try parts(third).filter { $0.hasPrefix("records") }.count == 5)
    withExtendedLifetime(file) {}
  }

  /// Returns all files of the directory with their contents.
  private func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      found[name] = FileManager.default.contents(atPath: "\(directory.path)/\(name)")
    }
    return found
  }

  @Test(arguments: [true, false], [true, false])
  func `A journal whose log is gone, or is empty, is refused, and all else stays`(
    isEmpty: Bool,
    wasClosed: Bool,
  ) throws {
    let file = try begin()
    try file.append(batch(1...2))
    try keep([2], of: 2, in: file)
    try file.append(batch(3...3))
    if wasClosed { try file.close() }
    let log = "\(directory.path)/log"
    try FileManager.default.removeItem(atPath: log)
    if isEmpty {
      try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
    }
    let before = try contents()
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == .corrupt && refusal.1.contains("snapshot of revision 2"))
    #expect(refusal.1.contains(isEmpty ? "empty" : "missing"))
    #expect(message { _ = try JournalReader(directory: directory.path) }?.0 == .corrupt)
    #expect(try contents() == before)
    withExtendedLifetime(file) {}
  }

  @Test func `A log without the right to read is not an empty one`() throws {
    try begin().close()
    try FileManager.default.removeItem(atPath: "\(directory.path)/log")
    try Data().write(to: URL(fileURLWithPath: "\(directory.path)/log"))
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == .unreadable && refusal.1.contains("Could not list"))
  }

  @Test func `After an end during the first start the history begins again`() throws {
    _ = try unbegun()
    #expect(try open(epoch: 8).opening.epoch == 8)
  }

  @Test func `A segment that is missing in the middle is refused, and named`() throws {
    let file = try begin()
    try file.close()
    let second = try open(segmentBytes: 1)
    for revision in 1...3 as ClosedRange<UInt64> { try second.append(batch(revision...revision)) }
    try second.close()
    try FileManager.default.removeItem(atPath: try path(of: 2))
    let refusal = try #require(message { _ = try parts(try unbegun()) })
    #expect(refusal.0 == .corrupt && refusal.1.contains("revision 2 is missing"), "\(refusal)")
  }

  @Test func `A segment that ends too early is refused, and so is another's in its place`() throws {
    let file = try open(segmentBytes: LogHeader.pageBytes + 300)
    try keep([0], of: 0, in: file)
    for revision in 1...9 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try file.close()
    let first = try path(of: 1)
    let last = try #require(segments.last).path(in: directory.path)
    #expect(first != last)
    let whole = try Data(contentsOf: URL(fileURLWithPath: first))
    try SegmentEditor(first).write { $0.wipe(entry: $0.entries.count - 1) }
    #expect(message { _ = try parts(try unbegun()) }?.1.contains("is missing") == true)
    try whole.write(to: URL(fileURLWithPath: last))
    #expect(message { _ = try parts(try unbegun()) }?.1.contains("another segment") == true)
  }

  // MARK: Continued histories

  @Test func `A full disk has a reserve with which old history is let go of`() throws {
    let file = try open(segmentBytes: 1)
    for revision in 1...20 as ClosedRange<UInt64> {
      try file.append(batch(revision...revision))
      if revision.isMultiple(of: 10) { try keep([UInt8(revision)], of: revision, in: file) }
    }
    let reserve = "\(directory.path)/reserve"
    let bytes = try FileManager.default.attributesOfItem(atPath: reserve)[.size] as? Int
    #expect(bytes == JournalDirectory.reserveBytes)
    #expect(try file.makeRoom())
    #expect(FileManager.default.fileExists(atPath: reserve), "It is there for the next time")
    #expect(try !file.makeRoom(), "No history is left to remove")
    #expect(try segments.first?.first == 11)
  }

  @Test func `Without room to begin a history its reserve is given up`() throws {
    let file = try begin()
    let reserve = "\(directory.path)/reserve"
    var attempts = 0
    func needRoom() throws(JournalError) -> Int {
      attempts += 1
      guard FileManager.default.fileExists(atPath: reserve) else { return attempts }
      throw JournalError(.full, "the disk is full")
    }
    #expect(try file.withRoom(needRoom) == 2)
    #expect(
      message {
        try file.withRoom { () throws(JournalError) in
          throw JournalError(.full, "the disk is full")
        }
      }?.0 == .full
    )
    _ = try open()
    #expect(FileManager.default.fileExists(atPath: reserve))
    #expect(
      message {
        try file.withRoom { () throws(JournalError) in
          throw JournalError(.system, "the disk is broken")
        }
      }?.0 == .system
    )
    #expect(FileManager.default.fileExists(atPath: reserve), "Room is of no use there")
  }

  @MainActor
  @Test func `A disk that hangs keeps no process from closing`() throws {
    let file = try begin()
    let journal = DiskJournal(file, .nothing)
    // Simulates a sync that does not return: later writers wait for it.
    let meeting = Meeting()
    Thread.detachNewThread {
      file.writer.withLock { _ in
        meeting.reach(1)
        meeting.wait(for: 2)
      }
      meeting.reach(3)
    }
    meeting.wait(for: 1)
    journal.append(batch(1...1))
    let refusal = try #require(message { try journal.close(within: .milliseconds(50)) })
    #expect(refusal.0 == .system && refusal.1.contains("did not answer"))
    #expect(journal.lostPath == nil, "It is looked at meanwhile")
    meeting.reach(2)
    meeting.wait(for: 3)
  }

  @MainActor
  @Test func `Another epoch is noted after the appended records`() async throws {
    let journal = DiskJournal(try begin(), .nothing)
    let (results, noted) = AsyncStream.makeStream(of: JournalResult.self)
    journal.onResult = { noted.yield($0) }
    var coming = results.makeAsyncIterator()
    journal.append(batch(1...1))
    journal.renew(epoch: 9)
    #expect(await coming.next() == .durable(through: 1))
    #expect(await coming.next() == .renewed(epoch: 9))
    journal.append(batch(2...2))
    #expect(await coming.next() == .durable(through: 2))
    try journal.close(within: .seconds(60))
    let again = try unbegun()
    #expect(again.opening.epoch == 9)
    #expect(try parts(again).filter { $0.hasPrefix("records") }.count == 2)
  }

  /// Synchronizes two threads.
  private final class Meeting: Sendable {
    private let condition = NSCondition()
    private let step = Mutex(0)

    func reach(_ next: Int) {
      condition.lock()
      step.withLock { $0 = next }
      condition.broadcast()
      condition.unlock()
    }

    func wait(for next: Int) {
      condition.lock()
      while step.withLock({ $0 < next }) { condition.wait() }
      condition.unlock()
    }
  }

  // MARK: Two writers

  @Test func `A daemon that wrote before another one began changes no more bytes`() throws {
    let first = try begin()
    try first.append(batch(1...1))
    let second = try open()
    #expect(try parts(second) == ["build", "snapshot [0]", "records [1] 3"])
    let attempts: [() throws -> Void] = [
      { try first.append(self.batch(2...2)) },
      { _ = try first.unneededSnapshots() },
      { _ = try first.trim(.nothing) },
      { try first.renew(epoch: 9) },
      { try first.close() },
    ]
    for (place, attempt) in attempts.enumerated() {
      let refusal = try #require(message(attempt), "attempt \(place)")
      #expect(refusal.0 == .fenced && refusal.1.contains("term 2 follows 1"), "\(refusal)")
    }
    try second.append(batch(2...3))
    #expect(message { try first.append(self.batch(2...3)) }?.0 == .fenced)
    let opening = try unbegun().opening
    #expect(opening.epoch == 7 && !opening.isClean && opening.newest == 3 && opening.term == 2)
    try second.close()
  }

  @Test func `A reader of a history that grew meanwhile does not begin to write it`() throws {
    let first = try begin()
    let late = try unbegun()
    try first.append(batch(1...1))
    #expect(message { try late.begin() }?.0 == .busy)
    let other = try unbegun()
    let second = try open()
    let refusal = try #require(message { try other.begin() })
    #expect(refusal.0 == .busy && refusal.1.contains("Another daemon has written"))
    // Neither daemon has raised the term: the second one continues to write.
    let early = try unbegun()
    try second.append(batch(2...2))
    // A reader whose records lead further than the entries that it found has read a growing
    // history, which is no damage.
    let further = try #require(message { try early.begin(at: 2) })
    #expect(further.0 == .busy && further.1.contains("Another daemon has written"))
    let damaged = try #require(message { try unbegun().begin(at: 1) })
    #expect(damaged.0 == .corrupt && damaged.1.contains("its records lead to revision 1"))
  }

  @Test func `A batch with an unknown outcome is kept once`() throws {
    let file = try begin()
    try file.append(batch(1...2))
    try file.append(batch(3...3))
    // The answer was lost.
    try file.append(batch(3...3))
    try file.append(batch(4...4))
    let expected = ["records [1] 3", "records [3] 3", "records [4] 3"]
    #expect(try parts(try unbegun()) == ["build", "snapshot [0]"] + expected)
    // Another batch with these revisions is not a repetition.
    let other = JournalBatch(revisions: 4...4, records: [99], sessionNumbers: 3)
    #expect(message { try file.append(other) }?.0 == .system)
    #expect(message { try file.append(batch(6...6)) }?.0 == .system, "One is missing")
  }

  @Test func `Records appended under a seal are not part of the history`() throws {
    let first = try begin()
    try first.append(batch(1...1))
    let second = try open()
    #expect(message { try first.append(self.batch(2...2)) }?.0 == .fenced)
    #expect(try parts(try unbegun()).suffix(1) == ["records [1] 3"])
    try second.append(batch(2...3))
    let third = try unbegun()
    #expect(third.opening.tornBytes == 0 && third.opening.newest == 3)
    #expect(try parts(third).suffix(2) == ["records [1] 3", "records [2] 3"])
  }

  @Test func `A daemon that was taken over while it began removes no segment of its successor`()
    throws
  {
    let first = try begin()
    let second = try open(segmentBytes: 1)
    for revision in 1...4 as ClosedRange<UInt64> { try second.append(batch(revision...revision)) }
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/log")
    // The first one was stopped after its segment had its name.
    #expect(message { try first.clearUp() }?.0 == .fenced)
    #expect(
      Set(try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/log"))
        == Set(names)
    )
    #expect(try unbegun().opening.newest == 4)
  }

  @MainActor
  @Test func `A journal reports a takeover by another daemon, and no other error`() async throws {
    let journal = DiskJournal(try begin(), .nothing)
    let (results, noted) = AsyncStream.makeStream(of: JournalResult.self)
    let second = try open()
    journal.onResult = { noted.yield($0) }
    journal.append(batch(1...1))
    journal.store(JournalSnapshot(revision: 0) { [1] })
    var coming = results.makeAsyncIterator()
    guard case .fenced(let reason)? = await coming.next() else {
      Issue.record("It is not fenced")
      return
    }
    #expect(reason.contains("taken over") && reason.contains(directory.path))
    try second.append(batch(1...1))
    #expect(message { try journal.close(within: .seconds(60)) }?.0 == .fenced)
  }

  // MARK: Refused files

  private func message(_ body: () throws -> Void) -> (JournalError.Code, String)? {
    do {
      try body()
      return nil
    } catch let error as JournalError {
      return (error.code, error.message)
    } catch {
      return nil
    }
  }

  @Test func `A journal of another root is refused by its name`() throws {
    _ = try open(root: "Kitchen")
    let refusal = try #require(message { _ = try open(root: "Garden") })
    #expect(refusal.0 == .foreign)
    #expect(refusal.1.contains("\"Kitchen\"") && refusal.1.contains("\"Garden\""))
  }

  @Test(arguments: [(99, JournalError.Code.newer), (2, .older), (0, .older)])
  func `A journal of another release is refused by its number`(
    _ format: Int,
    _ code: JournalError.Code,
  ) throws {
    try open().close()
    let whole = try SegmentEditor(try path(of: 1))
    try whole.write { $0.bytes[16] = UInt8(format) }
    // A number without its checksum is a flipped bit.
    #expect(message { _ = try open() }?.0 == .corrupt)
    try whole.write { $0.set(format: UInt8(format)) }
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == code)
    let known = code == .newer ? "formats up to 4" : "formats from 3 on"
    #expect(refusal.1.contains("format \(format),") && refusal.1.contains(known))
    let reading = try #require(message { _ = try JournalReader(directory: directory.path) })
    #expect(reading == refusal)
  }

  @Test func `A journal in an SQLite file is refused by its number`() throws {
    try Data([1]).write(to: URL(fileURLWithPath: "\(directory.path)/journal.sqlite"))
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == .older && refusal.1.contains("format 2") && refusal.1.contains("xport"))
    #expect(message { _ = try JournalReader(directory: directory.path) }?.0 == .older)
  }

  @Test func `A segment with any changed byte at its beginning is refused`() throws {
    let file = try begin()
    try file.append(batch(1...1))
    try file.close()
    let path = try path(of: 1)
    let whole = try SegmentEditor(path)
    // The seal contains only a term, and the rest of the page is empty.
    let fields = 32 + Int(LogHeader.number(whole.bytes[20..<24]))
    for place in 0..<fields where !LogHeader.sealRange.contains(place) {
      var segment = whole
      segment.bytes[place] ^= 4
      try segment.write()
      let refusal = message { _ = try parts(try unbegun()) }
      #expect(refusal?.0 == .corrupt, "byte \(place)")
    }
  }

  @Test func `A record that differs from the kept one is refused, and named`() throws {
    let file = try begin()
    for revision in 1...3 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try file.close()
    try SegmentEditor(try path(of: 1)).write { $0.bytes[$0.entries[1].lowerBound + 64] ^= 1 }
    let again = try open()
    let refusal = try #require(message { _ = try parts(again) })
    #expect(refusal.0 == .corrupt)
    #expect(refusal.1.contains("revisions 2 to 2"))
  }

  @Test func `Entries of two histories are distinguished, also with fitting numbers`() throws {
    let file = try begin()
    for revision in 1...3 as ClosedRange<UInt64> { try file.append(batch(revision...revision)) }
    try file.close()
    try SegmentEditor(try path(of: 1)).write { segment in
      let other = LogEntry.Head(
        kind: .records,
        count: 1,
        first: 2,
        last: 2,
        sessionNumbers: 3,
        before: segment.before(entry: 1),
      )
      segment.replace(entry: 1, with: other, [99])
    }
    let refusal = try #require(message { _ = try parts(try unbegun()) })
    #expect(refusal.0 == .corrupt && refusal.1.contains("another history"))
  }

  @Test func `An invalid journal is refused`() throws {
    _ = try unbegun()
    try Data("hello, this is no log, despite its name".utf8)
      .write(to: URL(fileURLWithPath: "\(directory.path)/log/00000000000000000001-1.log"))
    let refusal = try #require(message { _ = try open() })
    #expect(refusal.0 == .corrupt)
  }

  @Test func `A refusal by a reader is reported with its revision`() throws {
    let file = try begin()
    try file.append(batch(1...1))
    let refusal = message {
      _ = try unbegun().read { part throws(CodecError) in
        if case .records = part { throw CodecError(.deltaMismatch, "it does not fit") }
      }
    }
    #expect(refusal?.0 == .corrupt)
    #expect(refusal?.1.contains("revision 1") == true)
  }

  @Test func `A build with other types is known by its schema`() throws {
    let file = try begin()
    try file.append(batch(1...1))
    try file.close()
    let other = SchemaRegistry.document(for: [String].self)
    let again = try open(schema: other)
    #expect(!again.opening.isSameBuild)
    var schemas: [SchemaDocument] = []
    _ = try again.read { part throws(CodecError) in
      if case .build(let schema) = part { schemas.append(schema) }
    }
    #expect(schemas == [Self.schema])
    try again.append(batch(2...3))
    let expected = ["build", "snapshot [0]", "records [1] 3", "build", "records [2] 3"]
    #expect(try parts(try unbegun(schema: other)) == expected)
  }
}
