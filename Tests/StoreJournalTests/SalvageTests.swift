import Foundation
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreJournal
@testable import StoreProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The report on a damaged directory, and the readable data that a salvage copies.
@Suite(.timeLimit(.minutes(2))) struct SalvageTests {
  private let source: JournalDirectoryTests.Directory
  private let target: JournalDirectoryTests.Directory

  init() throws {
    source = try JournalDirectoryTests.Directory()
    target = try JournalDirectoryTests.Directory()
  }

  private static let schema = SchemaRegistry.document(for: [Int].self)
  private static let initial: UInt64 = 77

  private static func open(_ directory: String) throws -> JournalDirectory {
    try JournalDirectory(
      directory: directory,
      root: "Test",
      schema: schema,
      durability: .full,
      epoch: 7,
      segmentBytes: 4400,
    )
  }

  private static func snapshot(_ revision: UInt64) -> [UInt8] {
    SnapshotBytes.encode(revision: revision, KeptHistory()) { [7].encode(to: &$0) }
  }

  private static func batch(_ revisions: ClosedRange<UInt64>) -> JournalBatch {
    var encoder = CBOREncoder.durable
    for revision in revisions {
      JournalRecord(revision: revision, wallMilliseconds: 1, origin: .daemon, delta: nil)
        .encode(to: &encoder)
    }
    return JournalBatch(revisions: revisions, records: encoder.bytes, sessionNumbers: 1)
  }

  /// A history of twenty revisions in some segments, one per entry, with snapshots.
  private func history(
    snapshots: [UInt64] = [0],
    closing: Bool = true,
  ) throws -> JournalDirectory {
    let file = try Self.open(source.path)
    try file.begin(initial: Self.initial)
    for revision in 0...20 as ClosedRange<UInt64> {
      if revision > 0 { try file.append(Self.batch(revision...revision)) }
      if snapshots.contains(revision) {
        try file.write(Self.snapshot(revision), of: revision, after: file.mark(at: revision))
      }
    }
    if closing { try file.close() }
    return file
  }

  private var segments: [LogSegment] { get throws { try LogSegment.all(in: source.path) } }

  /// Returns the segment of a revision, and the index of its entry.
  private func place(of revision: UInt64) throws -> (segment: LogSegment, entry: Int) {
    let segment = try #require(segments.last { $0.first <= revision })
    return (segment, Int(revision - segment.first))
  }

  /// Changes a byte of a revision's record.
  private func damage(_ revision: UInt64) throws {
    let (segment, entry) = try place(of: revision)
    try SegmentEditor(segment.path(in: source.path)).write {
      $0.bytes[$0.entries[entry].lowerBound + LogEntry.Head.bytes] ^= 1
    }
  }

  private func remove(snapshot revision: UInt64) throws {
    for isCopy in [false, true] {
      let path = SnapshotFile.path(of: revision, in: source.path, isCopy: isCopy)
      try? FileManager.default.removeItem(atPath: path)
    }
  }

  /// All files of the source with their bytes.
  private var files: [String: Data] {
    get throws {
      var files: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: source.path) {
        files[name] = FileManager.default.contents(atPath: "\(source.path)/\(name)")
      }
      return files
    }
  }

  private func salvage() throws -> Salvage.Report {
    let before = try files
    var salvage = try Salvage(source.path, to: target.path)
    let report = try salvage.run()
    #expect(try files == before, "All files are unchanged")
    return report
  }

  /// Verifies the new history, and returns its oldest state, first record and newest revision.
  private func made() throws -> [UInt64] {
    let reader = try JournalReader.whole(directory: target.path)
    var past = PastReader(reader, GenericPast(), telling: .all)
    guard case .verified(_, let last, _, _) = past.answer(.verify) else {
      Issue.record("It does not hold together")
      return []
    }
    let extent = try reader.extent()
    return [try #require(extent.oldestState), extent.beforeRecords + 1, last]
  }

  /// Returns the revisions of the records in a JSON file.
  private func revisions(in file: String) throws -> [String] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains("\"record\"") }
      .compactMap { $0.firstMatch(of: #/"revision":(\d+)/#).map { String($0.1) } }
  }

  // MARK: Salvaging

  @Test func `A history that is whole is copied as another one`() throws {
    _ = try history(snapshots: [0, 9])
    let report = try salvage()
    #expect(report.newest == 20 && report.oldestState == 0)
    #expect(report.missing == [] && report.files == [])
    #expect(try made() == [0, 1, 20])
    let header = { try LogHeader(of: try #require(LogSegment.all(in: $0).first), in: $0) }
    #expect(try header(target.path).history != header(source.path).history)
    let again = try Self.open(target.path)
    #expect(again.opening.epoch != 7, "Both may go on")
  }

  @Test func `Records after damage are saved if a snapshot leads to them`() throws {
    _ = try history(snapshots: [0, 12])
    try damage(7)
    let report = try salvage()
    #expect(report.newest == 20 && report.oldestState == 12)
    #expect(try made() == [12, 8, 20])
    #expect(report.missing.contains { $0.contains("Revisions 7 to 7 are missing") })
    #expect(report.files.count == 1)
    #expect(try revisions(in: report.files[0]) == (1...6).map { "\($0)" })
  }

  @Test func `Without a state after damage, history ends before it, and the rest is kept beside`()
    throws
  {
    _ = try history()
    try damage(7)
    try damage(15)
    let report = try salvage()
    #expect(try made() == [0, 1, 6])
    #expect(report.newest == 6)
    #expect(
      try report.files.map { try revisions(in: $0) } == [
        (8...14).map { "\($0)" }, (16...20).map { "\($0)" },
      ]
    )
    #expect(report.missing.contains { $0.contains("no state leads to them") })
  }

  @Test func `A segment that is missing, or whose beginning is damaged, is passed over`() throws {
    _ = try history(snapshots: [0, 20])
    let all = try segments
    try #require(all.count > 3)
    try FileManager.default.removeItem(atPath: all[1].path(in: source.path))
    try SegmentEditor(all[2].path(in: source.path)).write { $0.bytes[40] ^= 1 }
    let report = try salvage()
    #expect(report.newest == 20)
    #expect(try made() == [20, all[3].first, 20])
    #expect(report.missing.contains { $0.contains(all[2].name) })
    #expect(
      report.missing.contains {
        $0.contains("Revisions \(all[1].first) to \(all[3].first - 1) are missing")
      }
    )
  }

  @Test func `Without a snapshot records from the first one are a history for their program`()
    throws
  {
    _ = try history()
    try remove(snapshot: 0)
    try damage(9)
    let report = try salvage()
    #expect(report.newest == 8 && report.oldestState == nil)
    #expect(report.missing.contains { $0.contains("Every state is missing") })
    let file = try Self.open(target.path)
    var last: UInt64 = 0
    _ = try file.read(from: Self.initial) { (part) throws(CodecError) in
      guard case .records(let bytes, _) = part else { return }
      var decoder = CBORDecoder(bytes)
      while decoder.offset < bytes.count { last = try JournalRecord(from: &decoder).revision }
    }
    #expect(last == 8)
  }

  @Test func `Without a snapshot other records are kept as text`() throws {
    _ = try history()
    try remove(snapshot: 0)
    try damage(1)
    let report = try salvage()
    #expect(report.newest == nil)
    #expect(try revisions(in: try #require(report.files.first)) == (2...20).map { "\($0)" })
    #expect(report.missing.contains { $0.contains("No history could be made") })
  }

  @Test func `The readable part of a torn end is kept as text`() throws {
    let file = try history(closing: false)
    // The last entry has three records, of which two and a half are on the disk.
    try file.append(Self.batch(21...23))
    let segment = try #require(segments.last)
    try SegmentEditor(segment.path(in: source.path)).write { editor in
      editor.header.boot = "another"
      let entry = editor.entries[editor.entries.count - 1]
      let end = entry.upperBound - 12
      editor.bytes.replaceSubrange(
        end...,
        with: Array(repeating: 0, count: editor.bytes.count - end),
      )
    }
    let survey = try LogSurvey(source.path)
    guard case .torn = survey.segments.last?.end else {
      Issue.record("It ends with \(survey.segments.last?.end as Any)")
      return
    }
    #expect(!survey.isDamaged && survey.problems.map(\.severity) == [.doubt])
    func check(_ report: Salvage.Report) throws {
      #expect(report.newest == 20)
      let files = report.files
      #expect(files.count == 1, "\(report)")
      #expect(try files.first.map { try revisions(in: $0) } == ["21", "22"])
    }
    try check(try salvage())
    try FileManager.default.removeItem(atPath: target.path)
    // A daemon that starts cuts off the torn end, and keeps it beside the log.
    let again = try Self.open(source.path)
    _ = try again.read { (_) throws(CodecError) in }
    try again.begin()
    try check(try salvage())
  }

  @Test func `Records that end in the middle of an entry are saved, each once`() throws {
    let file = try history(snapshots: [0, 20])
    withExtendedLifetime(file) {}
    let again = try Self.open(source.path)
    _ = try again.read { (_) throws(CodecError) in }
    try again.begin()
    // The second of three records does not fit the state.
    var encoder = CBOREncoder.durable
    for revision in 21...23 as ClosedRange<UInt64> {
      let delta: [UInt8]? = revision == 22 ? [0x61, 0x78] : nil
      JournalRecord(revision: revision, wallMilliseconds: 1, origin: .daemon, delta: delta)
        .encode(to: &encoder)
    }
    try again.append(
      JournalBatch(revisions: 21...23, records: encoder.bytes, sessionNumbers: 1)
    )
    try again.append(Self.batch(24...24))
    let report = try salvage()
    #expect(report.newest == 21)
    #expect(try made() == [0, 1, 21])
    #expect(try report.files.map { try revisions(in: $0) } == [["22"], ["23", "24"]])
    #expect(report.missing.contains { $0.contains("Revisions 22 to 22") && $0.contains("fit") })
  }

  @Test(arguments: ["folder", "fifo", "link", "nothing"])
  func
    `What has the name of a torn end and cannot be read is named, and keeps nobody from going on`(
      kind: String
    ) throws
  {
    _ = try history()
    let segment = try #require(segments.last)
    for suffix in [".torn", ".new"] {
      let path = segment.tornPath(in: source.path).replacing(".torn", with: suffix)
      switch kind {
      case "folder":
        try FileManager.default.createDirectory(
          atPath: "\(path)/mine",
          withIntermediateDirectories: true,
        )
      case "fifo": try #require(mkfifo(path, 0o600) == 0)
      case "link":
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
      default: try Data().write(to: URL(fileURLWithPath: path))
      }
    }
    // A seal makes the survey look at drafts.
    try SegmentEditor(segment.path(in: source.path)).write { $0.bytes[8] = 9 }
    let survey = try LogSurvey(source.path)
    #expect(!survey.isDamaged && survey.segments.last?.end == .clean)
    var salvage = try Salvage(source.path, to: target.path)
    let report = try salvage.run()
    #expect(report.newest == 20)
    let torn = segment.tornPath(in: source.path)
    #expect(report.missing.contains { $0.contains(torn) } == (kind != "nothing"), "\(report)")
    let again = try Self.open(source.path)
    _ = try again.read { (_) throws(CodecError) in }
    try again.begin()
    try again.append(Self.batch(21...40))
    try again.write(Self.snapshot(40), of: 40)
    try again.write(Self.snapshot(39), of: 39)
    #expect(try again.makeRoom())
    // No program removes an object that a user has put there.
    #expect(DurableFile.isOtherThanFile(torn) == (kind != "nothing"))
    #expect((kind == "folder") == FileManager.default.fileExists(atPath: "\(torn)/mine"))
  }

  @Test func `Records without a free name beside the log stay in the log`() throws {
    let file = try history(closing: false)
    let segment = try #require(segments.last)
    try SegmentEditor(segment.path(in: source.path)).write { editor in
      editor.header.boot = "another"
      editor.bytes[editor.entries[editor.entries.count - 1].lowerBound + LogEntry.Head.bytes] ^= 1
    }
    let torn = segment.tornPath(in: source.path)
    try FileManager.default.createDirectory(atPath: torn, withIntermediateDirectories: true)
    let path = segment.path(in: source.path)
    let whole = try #require(FileManager.default.contents(atPath: path))
    for last in [19, 20] as [UInt64] {
      let again = try Self.open(source.path)
      _ = try again.read { (_) throws(CodecError) in }
      try again.begin(at: last)
      #expect(try again.strangers == [torn])
      try again.append(Self.batch(last + 1...last + 1))
      try again.close()
    }
    #expect(try LogSurvey(source.path).problems == [])
    let kept = try #require(FileManager.default.contents(atPath: path))
    #expect(kept.dropFirst(16) == whole.dropFirst(16), "All but the seal is as it was")
    withExtendedLifetime(file) {}
  }

  @Test func `A directory that has something keeps it`() throws {
    _ = try history()
    try Data([1]).write(to: URL(fileURLWithPath: "\(target.path)/mine"))
    let error = #expect(throws: JournalError.self) { try salvage() }
    #expect(error?.code == .occupied)
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).contains("mine"))
  }

  @Test func `After any damage all faults are reported, and the readable part is saved`() throws {
    _ = try history(snapshots: [0, 11])
    let whole = try files.filter { $0.key.hasSuffix(".log") || $0.key.hasSuffix(".snapshot") }
    let names = whole.keys.sorted()
    var random = Numbers(state: 3)
    for round in 0..<120 {
      try? FileManager.default.removeItem(atPath: target.path)
      let name = names[round % names.count]
      let url = URL(fileURLWithPath: "\(source.path)/\(name)")
      let original = try #require(whole[name])
      var bytes = original
      let place = Int(random.next() % UInt64(bytes.count))
      let count = [1, 8, 700, 5000][Int(random.next() % 4)]
      for place in place..<min(bytes.count, place + count) {
        bytes[place] ^= UInt8(truncatingIfNeeded: random.next() | 1)
      }
      try bytes.write(to: url)
      defer { try? original.write(to: url) }
      let report = try salvage()
      let newest = try #require(report.newest, "\(name), \(count) bytes at \(place)")
      #expect(newest >= 11 || report.missing != [], "\(name), \(count) bytes at \(place)")
      #expect(try made().last == newest, "\(name), \(count) bytes at \(place)")
      let kept = try report.files.reduce(0) { try $0 + revisions(in: $1).count }
      let extent = try JournalReader(directory: target.path).extent()
      let records = Int(extent.newest - min(extent.newest, extent.beforeRecords))
      #expect(
        records + kept == 20 || !report.missing.isEmpty,
        "\(name), \(count) bytes at \(place): \(report)",
      )
    }
  }

  // MARK: Judging

  private func ends(_ survey: LogSurvey) -> [LogSurvey.End] { survey.segments.map(\.end) }

  @Test func `A directory without damage has an empty report`() throws {
    let file = try history(snapshots: [0, 9], closing: false)
    var survey = try LogSurvey(source.path)
    #expect(survey.problems == [])
    #expect(ends(survey).last == .open && ends(survey).dropLast().allSatisfy { $0 == .continued })
    #expect(survey.segments.last?.last == 20 && survey.segments.first?.first == 1)
    #expect(survey.segments.allSatisfy { $0.term == 1 || $0.seal == nil })
    try file.close()
    #expect(ends(try LogSurvey(source.path)).last == .clean)
    // Another daemon takes over.
    let again = try Self.open(source.path)
    _ = try again.read { (_) throws(CodecError) in }
    try again.begin()
    try again.append(Self.batch(21...22))
    survey = try LogSurvey(source.path)
    #expect(survey.problems == [] && ends(survey).last == .open)
    #expect(survey.segments.dropLast().last?.seal == again.opening.term + 1)
    #expect(survey.segments.dropLast().last?.end == .clean)
    _ = try JournalReader(directory: source.path).copy(to: target.path)
    survey = try LogSurvey(target.path)
    #expect(survey.problems == [] && ends(survey).last == .copied)
  }

  @Test func `A log that was taken over, and whose newest segment is gone, is doubted`() throws {
    _ = try history()
    let again = try Self.open(source.path)
    _ = try again.read { (_) throws(CodecError) in }
    try again.begin()
    try again.append(Self.batch(21...22))
    let newest = try #require(segments.last)
    try FileManager.default.removeItem(atPath: newest.path(in: source.path))
    let survey = try LogSurvey(source.path)
    #expect(survey.problems.map(\.severity) == [.doubt])
    #expect(survey.problems.first?.text.contains("term \(newest.term)") == true)
  }

  @Test func `A snapshot of another history is doubted, and a damaged one is damage`() throws {
    _ = try history(snapshots: [0, 9])
    let other = try JournalDirectoryTests.Directory()
    _ = try JournalReader(directory: source.path).copy(to: other.path)
    let path = "\(source.path)/snapshots/9.snapshot"
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: "\(other.path)/snapshots/9.snapshot", toPath: path)
    var survey = try LogSurvey(source.path)
    #expect(survey.problems.map(\.severity) == [.doubt])
    #expect(survey.problems.first?.text.contains(path) == true)
    try Data([1]).write(to: URL(fileURLWithPath: path))
    survey = try LogSurvey(source.path)
    #expect(survey.isDamaged)
  }

  @Test(arguments: ["before", "total"])
  func `A segment's statements about earlier ones are checked`(field: String) throws {
    _ = try history()
    try SegmentEditor(try segments[1].path(in: source.path)).write {
      if field == "before" { $0.header.before ^= 1 } else { $0.header.total += 1 }
    }
    let survey = try LogSurvey(source.path)
    // A wrong total is also wrong for the next segment.
    #expect(survey.problems.count == (field == "before" ? 1 : 2), "\(survey.problems)")
    #expect(survey.isDamaged)
    #expect(survey.problems.first?.text.contains(try segments[1].name) == true)
  }

  @Test func `An end that does not follow the last entry is damage`() throws {
    _ = try history()
    let newest = try #require(segments.last)
    try SegmentEditor(newest.path(in: source.path)).write { editor in
      let end = editor.entries.count - 1
      var head = LogEntry.Head(
        kind: .end,
        count: 0,
        first: 20,
        last: 19,
        sessionNumbers: 0,
        before: 1,
      )
      editor.bytes.replaceSubrange(
        editor.entries[end],
        with: LogEntry.encode(&head, [], key: editor.header.key),
      )
    }
    #expect(try LogSurvey(source.path).isDamaged)
  }

  @Test func `An entry after the end, or a repeated one, is damage`() throws {
    _ = try history()
    let newest = try #require(segments.last).path(in: source.path)
    let whole = try SegmentEditor(newest)
    let entry = Array(whole.bytes[whole.entries[0]])
    try whole.write { $0.bytes += entry }
    #expect(
      try LogSurvey(source.path).problems.first?.text.contains("after the end of the log") == true
    )
    try whole.write {
      let end = $0.entries[$0.entries.count - 1]
      $0.bytes.replaceSubrange(end, with: entry + Array($0.bytes[end]))
    }
    #expect(try LogSurvey(source.path).isDamaged)
  }
}
