import Foundation
import StoreActor
import StoreHistory
import StoreState
import Testing

@testable import StoreJournal

/// The judgement of the end of a log: either an interrupted write, or damage of
/// acknowledged entries.
@Suite(.timeLimit(.minutes(2))) struct JournalTailTests {
  private let directory: JournalDirectoryTests.Directory

  init() throws { directory = try JournalDirectoryTests.Directory() }

  private func unbegun(_ durability: Durability = .full) throws -> JournalDirectory {
    try JournalDirectory(
      directory: directory.path,
      root: "Test",
      schema: SchemaRegistry.document(for: [Int].self),
      durability: durability,
      epoch: 7,
    )
  }

  /// Records of one revision, with a length that differs from that of others.
  private func batch(_ revision: UInt64, bytes: Int = 100) -> JournalBatch {
    JournalBatch(
      revisions: revision...revision,
      records: Array(repeating: UInt8(revision), count: bytes),
      sessionNumbers: 3,
    )
  }

  /// A history whose newest segment has an entry of each size.
  private func segment(
    _ sizes: [Int],
    _ durability: Durability = .full,
  ) throws -> SegmentEditor {
    let file = try unbegun(durability)
    try file.begin()
    try file.write([0], of: 0)
    for (place, size) in sizes.enumerated() {
      try file.append(batch(UInt64(place) + 1, bytes: size))
    }
    let editor = try SegmentEditor(try path())
    withExtendedLifetime(file) {}
    return editor
  }

  private func path() throws -> String {
    try #require(LogSegment.all(in: directory.path).last).path(in: directory.path)
  }

  private enum Verdict: Hashable {
    /// The newest revision; whether bytes after it are omitted, and whether the epoch is kept.
    case opened(UInt64, isTorn: Bool, isSameEpoch: Bool)
    case refused
  }

  /// Returns the result of a daemon that starts here.
  private func verdict() throws -> Verdict {
    do {
      let file = try unbegun()
      var newest = UInt64(0)
      _ = try file.read { part throws(CodecError) in
        if case .records(let bytes, _) = part { newest = bytes.last.map { UInt64($0) } ?? 0 }
      }
      #expect(newest == file.opening.newest)
      return .opened(
        file.opening.newest,
        isTorn: file.opening.tornBytes > 0,
        isSameEpoch: file.opening.doubt == nil,
      )
    } catch let error as JournalError where error.code == .corrupt {
      return .refused
    }
  }

  private func verdict(
    of whole: SegmentEditor,
    _ change: (inout SegmentEditor) throws -> Void,
  ) throws -> Verdict {
    try whole.write(change)
    return try verdict()
  }

  // MARK: The machine went down

  @Test func `After a power cut at most one entry is torn`() throws {
    let whole = try segment([100, 100, 9_000])
    let last = whole.entries[2]
    func afterPowerCut(_ change: (inout SegmentEditor) throws -> Void) throws -> Verdict {
      try verdict(of: whole) {
        $0.header.boot = "earlier"
        try change(&$0)
      }
    }
    let torn = Verdict.opened(2, isTorn: true, isSameEpoch: true)
    #expect(try afterPowerCut { _ in } == .opened(3, isTorn: false, isSameEpoch: true))
    // Sectors of one entry reach the disk in any order.
    for place in [last.lowerBound + 64, last.lowerBound + 4_000, last.upperBound - 9] {
      #expect(try afterPowerCut { $0.bytes[place] ^= 1 } == torn, "byte \(place)")
    }
    #expect(
      try afterPowerCut {
        $0.bytes.replaceSubrange(last.lowerBound..<last.lowerBound + 512, with: zeros(512))
      } == torn
    )
    // The next entry was written only after this one was on the disk.
    #expect(
      try afterPowerCut {
        $0.bytes[last.lowerBound + 64] ^= 1
        $0.bytes[last.upperBound + 16] = 1
      } == .refused
    )
    // The entry before the last one was already complete.
    #expect(try afterPowerCut { $0.bytes[$0.entries[1].lowerBound + 70] ^= 1 } == .refused)
    #expect(try afterPowerCut { $0.bytes[$0.entries[1].lowerBound + 8] ^= 1 } == .refused)
  }

  @Test func `Without the promise of each sync, a hole ends the history in another epoch`() throws {
    let whole = try segment([100, 100, 100, 100], .batched)
    let verdict = try verdict(of: whole) {
      $0.header.boot = "earlier"
      $0.wipe(entry: 1)
    }
    #expect(verdict == .opened(1, isTorn: true, isSameEpoch: false))
  }

  // MARK: The program was killed

  @Test func `Only a write that was cut short at the end of a sector is torn`() throws {
    let whole = try segment([100, 9_000])
    let last = whole.entries[1]
    let torn = Verdict.opened(1, isTorn: true, isSameEpoch: true)
    for sector in [8_192, 9_216, 12_288] {
      let verdict = try verdict(of: whole) {
        $0.bytes.replaceSubrange(sector..<last.upperBound, with: zeros(last.upperBound - sector))
      }
      #expect(verdict == torn, "cut at \(sector)")
      // A file without prepared room ends there.
      #expect(
        try self.verdict(of: whole) { $0.bytes.removeSubrange(sector...) } == torn,
        "ends at \(sector)",
      )
    }
    for place in [last.lowerBound + 8, last.lowerBound + 64, 9_000, last.upperBound - 9] {
      #expect(try verdict(of: whole) { $0.bytes[place] ^= 1 } == .refused, "byte \(place)")
    }
    // The write was complete, and part of it was changed later.
    #expect(
      try verdict(of: whole) {
        $0.bytes.replaceSubrange(last.lowerBound..<last.lowerBound + 64, with: zeros(64))
      } == .refused
    )
  }

  @Test func `An entry whose last zeros are missing is whole, and history continues after it`()
    throws
  {
    let whole = try segment([100, 101])
    let last = whole.entries[1]
    for end in last.upperBound - 3...last.upperBound {
      try whole.write { $0.bytes.removeSubrange(end...) }
      #expect(try verdict() == .opened(2, isTorn: false, isSameEpoch: true), "\(end)")
    }
    try whole.write { $0.bytes.removeSubrange((last.upperBound - 3)...) }
    let file = try unbegun()
    _ = try file.read { _ throws(CodecError) in }
    try file.begin()
    try file.append(batch(3))
    try file.close()
    #expect(try verdict() == .opened(3, isTorn: false, isSameEpoch: true))
  }

  // MARK: Bytes of another place

  @Test(arguments: [0, 8, 4_096], ["here", "earlier"])
  func `An entry or a page that is found once more after the end is damage, and ends no history`(
    distance: Int,
    boot: String,
  ) throws {
    let whole = try segment([3_900, 100, 100, 5_000, 100])
    let end = whole.entries[4].upperBound
    func verdict(copying range: Range<Int>, to place: Int) throws -> Verdict {
      try self.verdict(of: whole) {
        if boot != "here" { $0.header.boot = boot }
        let bytes = $0.bytes[range]
        $0.bytes.replaceSubrange(place..<place + bytes.count, with: bytes)
      }
    }
    for entry in [1, 2, 4] {
      #expect(try verdict(copying: whole.entries[entry], to: end + distance) == .refused)
    }
    let page = end / 4_096 + 1
    #expect(try verdict(copying: 4_096..<8_192, to: page * 4_096) == .refused)
    // A copied file has another epoch, and the same history.
    let copied = try self.verdict(of: whole) {
      $0.header.file = "1.1"
      let bytes = $0.bytes[$0.entries[1]]
      $0.bytes.replaceSubrange(end + distance..<end + distance + bytes.count, with: bytes)
    }
    #expect(copied == .opened(5, isTorn: true, isSameEpoch: false))
  }

  @Test func `An entry at another place whose records are damaged is no end`() throws {
    let whole = try segment([100, 9_000])
    let last = whole.entries[1]
    let shifted = try verdict(of: whole) {
      let bytes = Array($0.bytes[last])
      $0.bytes.replaceSubrange(last, with: Array(repeating: 0x55, count: 8) + bytes.dropLast(8))
      $0.bytes[last.lowerBound + 100] ^= 1
    }
    #expect(shifted == .refused)
  }

  @Test func `A segment with exchanged pages is damaged`() throws {
    let swapped = try verdict(of: try segment([9_000])) {
      let pages = [Array($0.bytes[4_096..<8_192]), Array($0.bytes[8_192..<12_288])]
      $0.bytes.replaceSubrange(4_096..<12_288, with: pages[1] + pages[0])
    }
    #expect(swapped == .refused)
  }

  @Test func `What a daemon refuses is damage for all tools`() throws {
    let whole = try segment([100, 100, 100])
    try whole.write {
      let end = $0.entries[2].upperBound
      let bytes = $0.bytes[$0.entries[0]]
      $0.bytes.replaceSubrange(end..<end + bytes.count, with: bytes)
    }
    #expect(try LogSurvey(directory.path).isDamaged)
    #expect(throws: JournalError.self) { try JournalReader.whole(directory: directory.path) }
    let target = try JournalDirectoryTests.Directory()
    #expect(throws: (any Error).self) {
      try JournalReader(directory: directory.path).copy(to: target.path)
    }
  }

  // MARK: The file is a copy

  @Test func `A file that was copied while it was written starts in another epoch`() throws {
    let whole = try segment([3_900, 100, 100, 5_000, 100])
    let copied = "1.1"
    // The copy read this page before its entries were written, and the next pages after that.
    let stale = try verdict(of: whole) {
      $0.header.file = copied
      let start = $0.entries[1].lowerBound
      let end = (start / 4_096 + 1) * 4_096
      $0.bytes.replaceSubrange(start..<end, with: zeros(end - start))
    }
    #expect(stale == .opened(1, isTorn: true, isSameEpoch: false))
    let cut = try verdict(of: whole) {
      $0.header.file = copied
      $0.bytes.removeSubrange(($0.entries[4].lowerBound + 70)...)
    }
    #expect(cut == .opened(4, isTorn: true, isSameEpoch: false))
    // The same applies to an entry that is missing before a clean end.
    let ended = try verdict(of: whole) {
      $0.header.file = copied
      let start = $0.entries[1].lowerBound
      let end = (start / 4_096 + 1) * 4_096
      $0.bytes.replaceSubrange(start..<end, with: zeros(end - start))
      let sum = $0.sum(entry: 4)
      $0.bytes.removeSubrange($0.entries[4].upperBound...)
      $0.bytes += LogEntry.end(behind: 5, sum, key: $0.header.key)
    }
    #expect(ended == .refused)
    // A flipped bit is not a page that was copied too early.
    let flipped = try verdict(of: whole) {
      $0.header.file = copied
      $0.bytes[$0.entries[1].lowerBound + 70] ^= 1
    }
    #expect(flipped == .refused)
  }

  private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  // MARK: Removed bytes

  @Test func `Bytes that are cut off are kept beside the log, and go where room is needed`() throws
  {
    var kept: [[UInt8]] = []
    for round in 1...4 as ClosedRange<UInt64> {
      let file = try unbegun()
      _ = try file.read { _ throws(CodecError) in }
      try file.begin()
      if round == 1 { try file.write([0], of: 0) }
      try file.append(batch(round, bytes: 50 + Int(round)))
      try file.append(batch(round + 1, bytes: 150))
      try SegmentEditor(try path()).write {
        $0.header.boot = "earlier"
        let last = $0.entries[1]
        $0.bytes[last.lowerBound + 64] ^= 1
        kept.append(Array($0.bytes[last.lowerBound..<last.lowerBound + 64 + 150]))
      }
      withExtendedLifetime(file) {}
    }
    let file = try unbegun()
    _ = try file.read { _ throws(CodecError) in }
    try file.begin()
    #expect(file.opening.newest == 4 && file.opening.tornBytes == 214)
    let paths = try LogSegment.tornPaths(in: directory.path)
    #expect(try paths.map { try bytes($0) } == kept.suffix(2))
    let cut = try LogSegment.all(in: directory.path).dropLast().suffix(1).map {
      try SegmentEditor($0.path(in: directory.path)).bytes.count
    }
    #expect(try cut == [SegmentEditor(try path()).header.bytes + 64 + 56])
    #expect(try file.makeRoom())
    #expect(try LogSegment.tornPaths(in: directory.path).isEmpty)
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  // MARK: Seals

  @Test func `A seal whose daemon has written is missed, and that of one that has not is not`()
    throws
  {
    let first = try unbegun()
    try first.begin()
    try first.write([0], of: 0)
    try first.append(batch(1))
    let second = try unbegun()
    _ = try second.read { _ throws(CodecError) in }
    try second.begin()
    try second.append(batch(2))
    try second.close()
    try FileManager.default.removeItem(atPath: try path())
    let doubt = try #require(try unbegun().opening.doubt)
    #expect(doubt.contains("term 2"))
    // A daemon that ended after its seal and before publication leaves the header of its segment.
    let third = try unbegun()
    _ = try third.read { _ throws(CodecError) in }
    try interrupt(third)
    #expect(try unbegun().opening.doubt == nil)
    let again = try unbegun()
    _ = try again.read { _ throws(CodecError) in }
    try again.begin()
    let names = try FileManager.default.contentsOfDirectory(
      atPath: LogSegment.folder(in: directory.path)
    )
    #expect(names.allSatisfy { $0.hasSuffix(".log") }, "\(names)")
    withExtendedLifetime(first) {}
  }

  /// Takes over up to the seal, and then fails because its segment's name is taken.
  private func interrupt(_ file: JournalDirectory) throws {
    var header = LogHeader(
      root: "Test",
      epoch: 7,
      term: 2,
      durability: .full,
      boot: "",
      schema: [],
      history: 1,
    )
    header.first = 2
    let writer = try LogWriter(
      header,
      behind: [],
      in: directory.path,
      capacity: 1 << 20,
      foundMilliseconds: nil,
    )
    writer.keepDraft()
    try file.seal(by: 2)
  }

  @Test func `Torn ends are in the order of their segments, and go with them`() throws {
    let folder = LogSegment.folder(in: directory.path)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let segments = [8, 9, 10].map { LogSegment(first: 5, term: $0) }
    for segment in segments {
      try Data([1]).write(to: URL(fileURLWithPath: segment.tornPath(in: directory.path)))
    }
    let paths = try LogSegment.tornPaths(in: directory.path)
    #expect(paths == segments.map { $0.tornPath(in: directory.path) })
  }

  @Test(arguments: Durability.allCases)
  func `The page of the seal is never written again`(_ durability: Durability) throws {
    let file = try unbegun(durability)
    try file.begin()
    let path = try path()
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    // Another machine's cache may hold the page, so a mark there must survive.
    try handle.seek(toOffset: 4_000)
    try handle.write(contentsOf: [42])
    for revision in 1...60 as ClosedRange<UInt64> { try file.append(batch(revision, bytes: 999)) }
    try file.close()
    let bytes = try bytes(path)
    #expect(bytes[4_000] == 42 && bytes[..<4_000].starts(with: LogHeader.magic))
    #expect(try SegmentEditor(path).header.bytes == 4_096)
  }

  // MARK: Formats

  @Test func `A log of format 3 is read, and continues in format 4`() throws {
    let file = try unbegun()
    try file.begin()
    try file.write([0], of: 0)
    var earlier = EarlierSegment(try SegmentEditor(try path()).header)
    earlier.append(1...1, [1])
    earlier.append(2...2, [2])
    try earlier.write(to: try path())
    #expect(try verdict() == .opened(2, isTorn: false, isSameEpoch: true))
    let next = try unbegun()
    _ = try next.read { _ throws(CodecError) in }
    try next.begin()
    try next.append(batch(3))
    try next.close()
    #expect(try verdict() == .opened(3, isTorn: false, isSameEpoch: true))
    let formats = try LogSegment.all(in: directory.path).map {
      try LogHeader(of: $0, in: directory.path).format
    }
    #expect(formats == [3, 4])
    withExtendedLifetime(file) {}
  }

  @Test func `A field of a header that is not known is skipped, and one that lacks is damage`()
    throws
  {
    let header = try segment([1]).header
    let known = header.encoded(adding: 0)
    #expect(try LogHeader(known, path: "log") == header)
    let more = header.encoded(adding: 1)
    #expect(try LogHeader(more, path: "log").schema == header.schema)
    #expect(throws: JournalError.self) {
      _ = try LogHeader(header.encoded(adding: -1), path: "log")
    }
  }
}

extension LogHeader {
  /// Encodes the header with some unknown fields, or without its last ones.
  fileprivate func encoded(adding count: Int) -> [UInt8] {
    var copy = self
    let bytes = copy.encode()
    let size = Int(Self.number(bytes[20..<24]))
    var fields = Array(bytes[32..<32 + size])
    fields[0] = UInt8(Int(fields[0]) + count)
    // Each of the last two fields has a key of one byte and a number.
    if count > 0 { fields += [0x18, 99, 0x82, 0x01, 0x61, 0x78] }
    if count < 0 { fields.removeLast(2) }
    var changed = Array(bytes[..<20]) + Self.littleEndian(fields.count, 4)
    changed += Self.littleEndian(Self.sum(changed[16..<24], fields[...]), 8) + fields
    return changed + Array(repeating: 0, count: Self.pageBytes - changed.count)
  }
}
