import Foundation
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreJournal
@testable import StoreProtocol

/// The number of flipped bits, which `FLIPS` sets.
private let flips = ProcessInfo.processInfo.environment["FLIPS"].flatMap { Int($0) } ?? 240

/// A journal with flipped bits is either read correctly, or refused with a remedy.
@Suite(.timeLimit(.minutes(flips > 240 ? 60 : 2))) struct JournalDamageTests {
  private let directory: JournalDirectoryTests.Directory

  init() throws { directory = try JournalDirectoryTests.Directory() }

  private static let schema = SchemaRegistry.document(for: [Int].self)

  private func open(_ directory: String) throws -> JournalDirectory {
    try JournalDirectory(
      directory: directory,
      root: "Test",
      schema: Self.schema,
      durability: .none,
      epoch: 7,
      segmentBytes: LogHeader.pageBytes + 600,
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

  /// A journal of some revisions in two segments, with snapshots of 0 and 6.
  private func journal() throws {
    let file = try open(directory.path)
    try file.begin()
    try file.write(Self.snapshot(0), of: 0)
    for revision in stride(from: 1, through: 19, by: 3) as StrideThrough<UInt64> {
      try file.append(Self.batch(revision...revision + 2))
      if revision == 4 { try file.write(Self.snapshot(6), of: 6) }
    }
    try file.close()
  }

  /// Runs a daemon and all readers on a journal, and returns their errors.
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
      try file.write(Self.snapshot(end + 1), of: end + 1)
      JournalDirectory.remove(try file.unneededSnapshots())
      while try file.trim(.nothing) {}
      try file.close()
    }
    return errors
  }

  @Test func `With any bit flipped, a journal is read or refused with a remedy`() throws {
    try journal()
    let manager = FileManager.default
    var files: [(name: String, bytes: Data)] = []
    for name in try manager.subpathsOfDirectory(atPath: directory.path) {
      let url = URL(fileURLWithPath: "\(directory.path)/\(name)")
      if name.hasSuffix(".log") || name.hasSuffix(".snapshot") {
        files.append((name, try Data(contentsOf: url)))
      }
    }
    try #require(files.count == 4)
    let (path, copy) = ("\(directory.path)/damaged", "\(directory.path)/copy")
    var random = Numbers(state: 1)
    for round in 0..<flips {
      for path in [path, copy] where manager.fileExists(atPath: path) {
        try manager.removeItem(atPath: path)
      }
      for folder in ["log", "snapshots"] {
        try manager.createDirectory(
          atPath: "\(path)/\(folder)",
          withIntermediateDirectories: true,
        )
      }
      let damaged = files[round % files.count].bytes
      // Most of a segment is zeros between its header and its entries, and after them.
      let places = damaged.indices.filter { damaged[$0] != 0 || random.next() % 64 == 0 }
      let place = places[Int(random.next() % UInt64(places.count))]
      let bit = random.next() % 8
      for (number, file) in files.enumerated() {
        var bytes = file.bytes
        if number == round % files.count { bytes[place] ^= 1 << UInt8(bit) }
        try bytes.write(to: URL(fileURLWithPath: "\(path)/\(file.name)"))
      }
      for error in use(path, into: copy) {
        let words = "\(error)"
        let code = (error as? JournalError)?.code
        let isDamage = (error as? HistoryError)?.code == .corrupt || code == .corrupt
        #expect(
          isDamage || (error as? HistoryError)?.code == .unavailable,
          "\(files[round % files.count].name), byte \(place), bit \(bit): \(words)",
        )
        #expect(
          !isDamage || ["estore", "snapshot", "daemon starts"].contains { words.contains($0) },
          "\(files[round % files.count].name), byte \(place), bit \(bit): \(words)",
        )
      }
    }
  }

  // MARK: Damaged files

  private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  private var segments: [LogSegment] { get throws { try LogSegment.all(in: directory.path) } }

  private func edit(
    _ segment: LogSegment?,
    _ change: (inout SegmentEditor) throws -> Void,
  ) throws {
    try SegmentEditor(try #require(segment).path(in: directory.path)).write(change)
  }

  /// Returns the newest snapshot's revision and those of the records after it, as a daemon
  /// reads them.
  private func found() throws -> [UInt64] {
    var found: [UInt64] = []
    _ = try open(directory.path).read { part throws(CodecError) in
      switch part {
      case .build: break
      case .snapshot(let bytes): found.append(try SnapshotBytes.decode(bytes[...]).revision)
      case .records(let bytes, _):
        var decoder = CBORDecoder(bytes)
        while decoder.offset < bytes.count {
          found.append(try JournalRecord(from: &decoder).revision)
        }
      }
    }
    return found
  }

  private func copy() throws -> UInt64 {
    try JournalReader(directory: directory.path).copy(to: path("copy"))
  }

  private func error(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    "log/00000000000000000000-1.log", "log/18446744073709551615-1.log",
    "log/00000000000000000001-18446744073709551615.log",
    "snapshots/18446744073709551615.snapshot", "snapshots/06.snapshot", "snapshots/+6.snapshot",
  ])
  func `A file with an invalid revision in its name is not a journal's`(name: String) throws {
    try journal()
    try Data([1]).write(to: URL(fileURLWithPath: path(name)))
    #expect(try JournalReader(directory: directory.path).extent().newest == 21)
    #expect(try found() == Array(6...21))
    let again = try open(directory.path)
    try again.begin()
    #expect(try again.unneededSnapshots().isEmpty)
  }

  @Test func `A number that is too large is damage, and ends no process`() throws {
    try journal()
    try edit(segments.last) { $0.header.total = .max }
    #expect(error { _ = try open(directory.path) }.contains("cannot be read"))
    #expect(try JournalReader(directory: directory.path).damage?.code == .corrupt)
  }

  @Test func `A snapshot that cannot be read does not change the end of history`() throws {
    try journal()
    let other = try Data(contentsOf: URL(fileURLWithPath: path("snapshots/6.snapshot")))
    try other.write(to: URL(fileURLWithPath: path("snapshots/99.snapshot")))
    #expect(try JournalReader(directory: directory.path).extent().newest == 21)
    let file = try open(directory.path)
    #expect(file.opening.newest == 21 && file.opening.doubt == nil)
    try file.begin()
    try file.append(Self.batch(22...22))
    #expect(try found() == Array(6...22))
  }

  @Test func `A damaged entry before a clean end is missed, at any byte`() throws {
    try journal()
    let last = try #require(segments.last)
    let whole = try SegmentEditor(last.path(in: directory.path))
    let entry = whole.entries[whole.entries.count - 2]
    for place in entry.prefix(LogEntry.Head.bytes + 1) {
      try edit(last) {
        $0.bytes = whole.bytes
        $0.bytes[place] ^= 1
      }
      #expect(error { _ = try found() }.contains("--through 18"), "byte \(place)")
      #expect(try JournalReader(directory: directory.path).extent().newest == 21)
      #expect(error { _ = try copy() } != "")
    }
  }

  @Test func `If the newest segment cannot be read, the history before it is restored`() throws {
    try journal()
    let last = try #require(segments.last)
    try edit(last) { $0.bytes[40] ^= 1 }
    let refusal = error { _ = try found() }
    #expect(refusal.contains("--through \(last.first - 1)"))
    let reader = try JournalReader(directory: directory.path)
    #expect(reader.damage.map { "\($0)" } == refusal)
    #expect(error { _ = try reader.copy(to: path("copy")) } == refusal)
    #expect(try reader.copy(to: path("copy"), through: last.first - 1) == last.first - 1)
  }

  @Test func `Records missing at either end of the log are missed by readers of the past`() throws {
    try journal()
    let first = try #require(segments.first)
    let whole = try SegmentEditor(first.path(in: directory.path))
    func missing() throws -> String {
      let reader = try JournalReader(directory: directory.path)
      let after = try reader.extent().beforeRecords
      return error { try reader.records(after: after) { _ in true } }
    }
    try edit(first) { $0.wipe(entry: 0) }
    #expect(try missing().contains("Revision 1 cannot be read"))
    try whole.write { for entry in $0.entries.indices { $0.wipe(entry: entry) } }
    #expect(try missing().contains("Revision 1 is missing"))
    try whole.write()
    let end = try #require(segments.last)
    // Another segment, without entries.
    try open(directory.path).begin()
    #expect(try missing() == "")
    try edit(end) { $0.wipe(entry: $0.entries.count - 2) }
    #expect(try missing().contains("Revision 19 cannot be read"))
    try FileManager.default.removeItem(atPath: end.path(in: directory.path))
    #expect(try missing().contains("Revision \(end.first) is missing: the next one is 22"))
    #expect(error { _ = try copy() } != "")
  }

  @Test func `A segment that another one replaced is removed with it`() throws {
    let file = try open(directory.path)
    try file.begin()
    for revision in 1...40 as ClosedRange<UInt64> {
      // The second renewal replaces an empty segment.
      if [7, 9].contains(revision) {
        try file.renew(epoch: 8)
        try file.renew(epoch: 9)
      }
      try file.append(Self.batch(revision...revision))
      if revision.isMultiple(of: 20) { try file.write(Self.snapshot(revision), of: revision) }
    }
    while try file.trim(.nothing) {}
    #expect(try LogSegment.every(in: directory.path) == segments)
    let extent = try JournalReader(directory: directory.path).extent()
    #expect(extent.beforeRecords > 9 && extent.beforeRecords <= 20)
  }

  @Test func `Old history is removed on a full disk also without a reserve`() throws {
    let file = try open(directory.path)
    try file.begin()
    for revision in 1...40 as ClosedRange<UInt64> {
      try file.append(Self.batch(revision...revision))
      if revision.isMultiple(of: 20) { try file.write(Self.snapshot(revision), of: revision) }
    }
    try FileManager.default.removeItem(atPath: path("reserve"))
    #expect(try file.makeRoom())
    #expect(try !file.makeRoom(), "No history is left to remove")
  }

  @Test func `A daemon that starts another segment under a seal is notified of that only`() throws {
    let first = try open(directory.path)
    try first.begin()
    try first.append(Self.batch(1...9))
    while first.prepare() {}
    // The new daemon removes the prepared file.
    try open(directory.path).begin()
    let fenced = #expect(throws: JournalError.self) {
      for revision in 10...40 as ClosedRange<UInt64> {
        try first.append(Self.batch(revision...revision + 8))
      }
    }
    #expect(fenced?.code == .fenced, "\(fenced as Any)")
  }
}
