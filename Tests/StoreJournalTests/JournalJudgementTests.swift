import Foundation
import StoreState
import Testing

@testable import StoreHistory
@testable import StoreJournal
@testable import StoreProtocol

/// Invalid content with right checksums: a survey of the directory and a starting daemon agree
/// on it.
@MainActor
@Suite(.timeLimit(.minutes(4))) struct JournalJudgementTests {
  /// The invalid records in an entry of two revisions.
  enum Records: String, CaseIterable {
    case none, fewer, more, others, twice, backwards, noItems, moreBytes, cutOff, noRecord, noDelta
    case otherDelta

    func bytes(_ first: UInt64) -> [UInt8] {
      let (one, two) = (KeptNumbers.record(first), KeptNumbers.record(first + 1))
      return switch self {
      case .none: []
      case .fewer: one
      case .more: one + two + KeptNumbers.record(first + 2)
      case .others: KeptNumbers.record(first + 2) + KeptNumbers.record(first + 3)
      case .twice: one + one
      case .backwards: two + one
      case .noItems: [0xff, 0xff]
      case .moreBytes: one + two + [0]
      case .cutOff: one + two.dropLast()
      case .noRecord: one + [0x84, 1, 2, 3, 4]
      case .noDelta: one + KeptNumbers.record(first + 1, delta: [0x61, 0x78])
      case .otherDelta: KeptNumbers.record(first, delta: [0xa1, 0x18, 0x63, 0xf6]) + two
      }
    }

    /// The number of revisions of the entry that a restore can keep.
    var good: UInt64 {
      switch self {
      case .none, .others, .backwards, .noItems, .otherDelta: 0
      case .fewer, .twice, .cutOff, .noRecord, .noDelta: 1
      case .more, .moreBytes: 2
      }
    }
  }

  private func directory() throws -> JournalDirectoryTests.Directory {
    try JournalDirectoryTests.Directory()
  }

  private func message(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return "\(error)" }
  }

  /// Checks that all readers of a damaged directory agree, and that the revisions they name exist.
  private func check(_ numbers: KeptNumbers, starts: Bool, _ what: String) throws {
    let target = try directory()
    #expect(try !numbers.damage.isEmpty, "\(what)")
    var salvage = try Salvage(numbers.path, to: target.path)
    let report = try salvage.run()
    #expect(!report.missing.isEmpty, "\(what)")
    if let newest = report.newest {
      #expect(try KeptNumbers(target.path).start() == newest, "\(what): \(report)")
    }
    let refusal = message { _ = try numbers.start() }
    #expect((refusal == nil) == starts, "\(what): \(refusal ?? "it starts")")
    if let refusal { Advice(refusal, numbers.path).follow(what) }
  }

  @Test(arguments: Records.allCases)
  func `An entry that has its checksum and not its records is damage`(_ kind: Records) throws {
    // After the newest snapshot, before it, and as the last entry.
    for (first, snapshots) in [(9, [0]), (9, [0, 8]), (3, [0, 12]), (19, [0, 8])]
      as [(UInt64, Set<UInt64>)]
    {
      let place = try directory()
      let numbers = KeptNumbers(place.path)
      try numbers.write(snapshots: snapshots, entry: (first, kind.bytes(first)))
      let what = "\(kind) at \(first), snapshots \(snapshots)"
      let isNeeded = first > snapshots.max() ?? 0
      try check(numbers, starts: !isNeeded, what)
      let newest = JournalReader.newestCopy(of: numbers.path)
      if isNeeded { #expect(newest == first - 1 + kind.good, "\(what)") }
    }
  }

  @Test func `A snapshot that has its checksum and not its content is damage`() throws {
    let contents: [(String, (UInt64) -> [UInt8])] = [
      ("another revision", { KeptNumbers.snapshot($0 - 2) }),
      ("no items", { _ in [1] }),
      ("nothing", { _ in [] }),
      (
        "a root of another kind",
        {
          SnapshotBytes.encode(revision: $0, KeptHistory()) { "x".encode(to: &$0) }
        },
      ),
      ("no root", { SnapshotBytes.encode(revision: $0, KeptHistory()) { _ in } }),
    ]
    for (name, content) in contents {
      // The newest snapshot, an older one, and one that is beyond the end of the log.
      for (revision, snapshots, last) in [
        (8, [0, 8], 20), (8, [0, 8, 16], 20), (20, [0, 20], 20),
      ] as [(UInt64, Set<UInt64>, UInt64)] {
        for isBeyond in [false, true] where !isBeyond || revision == last {
          let place = try directory()
          let numbers = KeptNumbers(place.path)
          try numbers.write(
            snapshots: snapshots,
            through: last,
            snapshot: (revision, content(revision)),
          )
          if isBeyond {
            let newest = try #require(numbers.segments.last)
            try numbers.edit(newest) { editor in
              for entry in editor.entries.indices { editor.wipe(entry: entry) }
            }
          }
          let isNewest = revision == snapshots.max()
          let what = "\(name) at \(revision) of \(snapshots), beyond the end: \(isBeyond)"
          try check(numbers, starts: !isNewest, what)
        }
      }
    }
  }

  @Test func `Types that cannot be read are damage, of a snapshot and of a segment`() throws {
    for kind in ["snapshot", "first", "last"] {
      let place = try directory()
      let numbers = KeptNumbers(place.path)
      try numbers.write(snapshots: [0, 8])
      let segments = try numbers.segments
      if kind == "snapshot" {
        let bytes = KeptNumbers.snapshot(8)
        let fields = SnapshotFile.Fields(schema: [1, 2, 3])
        try Data(bytes + SnapshotFile.trailer(of: bytes, 8, fields))
          .write(to: URL(fileURLWithPath: numbers.file(8)))
      } else {
        try numbers.edit(try #require(kind == "first" ? segments.first : segments.last)) {
          $0.header.schema = [1, 2, 3]
        }
      }
      try check(numbers, starts: kind == "first", kind)
    }
  }

  @Test func `An end with a count of records is invalid`() throws {
    let place = try directory()
    let numbers = KeptNumbers(place.path)
    try numbers.write(snapshots: [0, 8])
    let whole = try SegmentEditor(try #require(numbers.segments.last).path(in: numbers.path))
    func append(_ kind: LogEntry.Kind, _ records: [UInt8]) throws {
      try whole.write { editor in
        var head = LogEntry.Head(
          kind: kind,
          count: records.count,
          first: 21,
          last: kind == .records ? 21 : 20,
          sessionNumbers: 1,
          before: editor.sum(entry: editor.entries.count - 1),
        )
        let end = editor.entries[editor.entries.count - 1].upperBound
        editor.bytes.replaceSubrange(
          end...,
          with: LogEntry.encode(&head, records, key: editor.header.key),
        )
      }
    }
    try append(.end, [])
    #expect(try numbers.damage == [])
    for (kind, records) in [(.end, [0, 0]), (.copied, [0]), (.records, [])]
      as [(LogEntry.Kind, [UInt8])]
    {
      try append(kind, records)
      #expect(try !numbers.damage.isEmpty, "\(kind)")
      let refusal = message { _ = try numbers.start() }
      Advice(try #require(refusal, "\(kind)"), numbers.path).follow("\(kind)")
    }
  }

  @Test func `An entry that overlaps the next segment is damage`() throws {
    let place = try directory()
    let numbers = KeptNumbers(place.path)
    try numbers.write(snapshots: [0, 8])
    let next = try #require(numbers.segments.last).first
    try numbers.edit(try #require(numbers.segments.dropLast().last)) { editor in
      let entry = editor.entries.count - 1
      let records = (next - 2...next).flatMap { KeptNumbers.record($0) }
      let head = LogEntry.Head(
        kind: .records,
        count: records.count,
        first: next - 2,
        last: next,
        sessionNumbers: 1,
        before: editor.before(entry: entry),
      )
      editor.replace(entry: entry, with: head, records)
    }
    try check(numbers, starts: false, "an entry in two segments")
  }

  @Test func `Without a free number for a daemon, a start is refused`() throws {
    let place = try directory()
    let numbers = KeptNumbers(place.path)
    try numbers.write(snapshots: [0], through: 2)
    let segment = try #require(numbers.segments.last)
    let last = LogSegment(first: 1, term: KeptHistory.greatestNumber)
    try numbers.edit(segment) { $0.header.term = last.term }
    try FileManager.default.moveItem(
      atPath: segment.path(in: numbers.path),
      toPath: last.path(in: numbers.path),
    )
    try check(numbers, starts: false, "the greatest term")
  }

  @Test func `An action that is no item is damage for a survey, and does not prevent a start`()
    throws
  {
    for action in [[], [0xff], [1, 1], [0x18, 1]] as [[UInt8]] {
      let sent = JournalRecord.ClientAction(
        client: Identifier(high: 1, low: 2),
        session: 1,
        sequence: 1,
        scope: "x",
        action: action,
      )
      let own = JournalRecord.InternalAction(
        name: "x",
        form: JournalRecord.InternalAction.Form(scope: "x", action: action),
      )
      for origin in [.client(sent), .internal(own)] as [JournalRecord.Origin] {
        let place = try directory()
        let numbers = KeptNumbers(place.path)
        let records = KeptNumbers.record(9, by: origin) + KeptNumbers.record(10)
        try numbers.write(snapshots: [0, 4], entry: (9, records))
        let damage = try numbers.damage
        #expect(damage.count == 1 && damage[0].contains("action of revision 9"), "\(damage)")
        #expect(try numbers.start() == 20)
      }
    }
  }
}
