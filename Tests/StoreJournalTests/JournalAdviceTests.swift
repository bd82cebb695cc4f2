import Foundation
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreJournal
@testable import StoreProtocol

/// The remedies in error messages succeed, for every damage and for every two of them.
@MainActor
@Suite(.timeLimit(.minutes(4))) struct JournalAdviceTests {
  /// A damage of a directory.
  private enum Damage: CaseIterable {
    case record, head, wipedEntry, wipedEntries, cut, cutHeader, header, otherSegment, lostSegment
    case emptyFile, plantedSegment, emptySegment, snapshot, lostSnapshots, mark, boot, copied

    /// Damages a directory.
    func happen(to numbers: KeptNumbers, _ random: inout Numbers) throws {
      let segments = try numbers.segments
      func draw(_ count: Int) -> Int { Int(random.next() % UInt64(max(count, 1))) }
      guard !segments.isEmpty else { return }
      let segment = segments[draw(segments.count)]
      let path = segment.path(in: numbers.path)
      switch self {
      case .plantedSegment:
        let first = UInt64(1 + draw(40))
        try Data([1]).write(
          to: URL(fileURLWithPath: LogSegment(first: first, term: 9).path(in: numbers.path))
        )
      case .emptySegment:
        let file = try? numbers.open()
        try? file?.begin()
      case .lostSegment: try FileManager.default.removeItem(atPath: path)
      case .emptyFile: try Data().write(to: URL(fileURLWithPath: path))
      case .snapshot:
        let names = try FileManager.default.contentsOfDirectory(
          atPath: SnapshotFile.folder(in: numbers.path)
        ).sorted()
        guard !names.isEmpty else { return }
        let name = "\(SnapshotFile.folder(in: numbers.path))/\(names[draw(names.count)])"
        try Data([7]).write(to: URL(fileURLWithPath: name))
      case .lostSnapshots:
        for revision in [0, 8, 14].shuffled(using: &random).prefix(2) as ArraySlice<UInt64> {
          for isCopy in [false, true] {
            try? FileManager.default.removeItem(atPath: numbers.file(revision, isCopy: isCopy))
          }
        }
      default:
        guard let editor = try? SegmentEditor(path) else { return }
        try editor.write { change(&$0, draw) }
      }
    }

    private func change(_ editor: inout SegmentEditor, _ draw: (Int) -> Int) {
      // An earlier damage may have cut off the entry.
      let entries = editor.entries.indices.filter {
        editor.entries[$0].upperBound <= editor.bytes.count
      }
      guard !entries.isEmpty || self != .wipedEntry else { return }
      let entry = entries.isEmpty ? nil : editor.entries[entries[draw(entries.count)]]
      switch self {
      case .record:
        guard let entry else { return }
        editor.bytes[min(entry.lowerBound + 64 + draw(20), entry.upperBound - 1)] ^= 1
      case .head:
        guard let entry else { return }
        editor.bytes[entry.lowerBound + draw(64)] ^= 1
      case .wipedEntry: editor.wipe(entry: entries[draw(entries.count)])
      case .wipedEntries: for entry in entries { editor.wipe(entry: entry) }
      case .cut:
        guard let entry else { return }
        editor.bytes.removeSubrange((entry.lowerBound + draw(entry.count))...)
      case .cutHeader: editor.bytes.removeSubrange(draw(editor.header.bytes)...)
      case .header: editor.bytes[32 + draw(40)] ^= 1
      case .otherSegment: editor.header.first += 1
      case .mark: editor.bytes[8] = 99
      case .boot: editor.header.boot = "earlier"
      case .copied: editor.header.file = draw(2) == 0 ? LogHeader.copied : "1.1"
      default: return
      }
    }
  }

  /// Returns the messages of all readers of a directory.
  private func messages(_ numbers: KeptNumbers) -> [String] {
    var messages: [String] = []
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { messages.append("\(error)") }
    }
    attempt {
      let file = try numbers.open()
      _ = try file.read { _ throws(CodecError) in }
    }
    attempt {
      let reader = try JournalReader.whole(directory: numbers.path)
      let extent = try reader.extent()
      try reader.records(after: 0) { _ in true }
      try reader.records(after: extent.oldestState ?? 0) { _ in true }
    }
    attempt {
      let target = try JournalDirectoryTests.Directory()
      _ = try JournalReader(directory: numbers.path).copy(to: target.path)
    }
    attempt {
      let target = try JournalDirectoryTests.Directory()
      let newest = try numbers.segments.last?.first ?? 1
      _ = try JournalReader(directory: numbers.path).copy(to: target.path, through: newest - 1)
    }
    return messages
  }

  /// Each of the first damages is followed by each other one, in histories with some snapshots.
  @Test(arguments: 0..<7)
  func `The given advice leads to the named revision`(first: Int) throws {
    var random = Numbers(state: UInt64(first) + 1)
    let kinds = Damage.allCases
    for second in kinds.indices {
      let place = try JournalDirectoryTests.Directory()
      let numbers = KeptNumbers(place.path)
      try numbers.write(snapshots: [[0], [0, 8], [0, 8, 14]][second % 3])
      try kinds[first].happen(to: numbers, &random)
      if second != first { try kinds[second].happen(to: numbers, &random) }
      // A daemon that starts changes the directory.
      let messages = messages(numbers)
      let starting = messages.filter { $0.contains("a daemon starts") }
      for message in messages.filter({ !starting.contains($0) }) + starting.prefix(1) {
        Advice(message, numbers.path).follow("\(kinds[first]) and \(kinds[second])")
      }
    }
  }

  /// Returns the reason for which a daemon does not start from a directory; nil if it starts.
  private func refusal(_ numbers: KeptNumbers) -> String? {
    do {
      let file = try numbers.open()
      _ = try file.read { _ throws(CodecError) in }
      return nil
    } catch { return "\(error)" }
  }

  @Test(arguments: 0..<17)
  func `A survey finds damage wherever a daemon refuses to start, and promises no start there`(
    first: Int
  ) throws {
    var random = Numbers(state: UInt64(first) + 1)
    let kinds = Damage.allCases
    for second in kinds.indices {
      let place = try JournalDirectoryTests.Directory()
      let numbers = KeptNumbers(place.path)
      try numbers.write(snapshots: [[0], [0, 8], [0, 8, 14, 20]][second % 3])
      try kinds[first].happen(to: numbers, &random)
      if second != first { try kinds[second].happen(to: numbers, &random) }
      guard let refusal = refusal(numbers), let survey = try? LogSurvey(numbers.path) else {
        continue
      }
      let what: Comment = "\(kinds[first]) and \(kinds[second]): \(refusal); \(survey.problems)"
      #expect(survey.isDamaged, what)
      #expect(!survey.problems.contains { $0.text.contains("A daemon that starts") }, what)
    }
  }

  @Test func `A segment that is missing after the newest snapshot is damage with its revision`()
    throws
  {
    let place = try JournalDirectoryTests.Directory()
    let numbers = KeptNumbers(place.path)
    try numbers.write(snapshots: [0])
    let segments = try numbers.segments
    try FileManager.default.removeItem(atPath: segments[0].path(in: numbers.path))
    let survey = try LogSurvey(numbers.path)
    #expect(survey.isDamaged)
    #expect(survey.problems.first?.text.contains("Revision 1 is missing") == true)
    let refusal = #expect(throws: JournalError.self) {
      let file = try numbers.open()
      _ = try file.read { _ throws(CodecError) in }
    }
    #expect(refusal?.message.contains("revision 1 is missing: the next revision") == true)
  }

  @Test func `The beginning of a segment that cannot be read names no revision that is not there`()
    throws
  {
    let place = try JournalDirectoryTests.Directory()
    let numbers = KeptNumbers(place.path)
    try numbers.write(snapshots: [0, 8])
    // Its name claims that as many revisions precede it.
    let planted = LogSegment(first: 50, term: 3).path(in: numbers.path)
    try Data(repeating: 1, count: 5_000).write(to: URL(fileURLWithPath: planted))
    let error = #expect(throws: JournalError.self) { try numbers.open() }
    #expect(error?.message.contains("--through 20") == true, "\(error as Any)")
  }

  @Test func `Of two damages the first one decides which revisions can be had`() throws {
    let place = try JournalDirectoryTests.Directory()
    let numbers = KeptNumbers(place.path)
    try numbers.write(snapshots: [0])
    let segments = try numbers.segments
    try numbers.edit(try #require(segments.last)) { $0.bytes[40] ^= 1 }
    try numbers.edit(segments[0]) {
      $0.bytes[$0.entries[1].lowerBound + LogEntry.Head.bytes] ^= 1
    }
    let error = #expect(throws: JournalError.self) { try numbers.open() }
    #expect(error?.message.contains("--through 2") == true, "\(error as Any)")
  }

  @Test func `A snapshot after damage is no remedy if later entries are damaged`() throws {
    let place = try JournalDirectoryTests.Directory()
    let numbers = KeptNumbers(place.path)
    try numbers.write(snapshots: [0, 8])
    for revision in [3, 11] as [UInt64] {
      let segments = try numbers.segments
      let segment = try #require(segments.last { $0.first <= revision })
      try numbers.edit(segment) {
        let entry = $0.entries[Int(revision - segment.first) / 2]
        $0.bytes[entry.lowerBound + LogEntry.Head.bytes] ^= 1
      }
    }
    let error = #expect(throws: HistoryError.self) {
      try JournalReader(directory: numbers.path).records(after: 0) { _ in true }
    }
    #expect(error?.message.contains("a daemon starts") == false, "\(error as Any)")
    #expect(error?.message.contains("--through 10") == true, "\(error as Any)")
  }

  @Test func `Records are a remedy where all of them lead from the initial state`() throws {
    for damaged in [false, true] {
      let place = try JournalDirectoryTests.Directory()
      let numbers = KeptNumbers(place.path)
      try numbers.write(snapshots: [0])
      for isCopy in [false, true] {
        try FileManager.default.removeItem(atPath: numbers.file(0, isCopy: isCopy))
      }
      if damaged {
        try numbers.edit(try numbers.segments[0]) {
          $0.bytes[$0.entries[1].lowerBound + LogEntry.Head.bytes] ^= 1
        }
      }
      let error = #expect(throws: JournalError.self) {
        _ = try numbers.open().read { _ throws(CodecError) in }
      }
      let words = "\(error as Any)"
      #expect(words.contains("--from-initial-state") == !damaged, "\(words)")
      #expect(words.contains("storectl salvage") == damaged, "\(words)")
      if !damaged {
        let file = try numbers.open()
        _ = try file.read(from: KeptNumbers.initial) { _ throws(CodecError) in }
      }
    }
  }
}
