import StoreHistory
import StoreState

/// The readable contents and all faults of a data directory: `verify` prints them, and `salvage`
/// copies the contents.
///
/// It continues after damage, and changes no file. No program may be writing the directory.
package struct LogSurvey {
  /// The severity of a fault.
  package enum Severity: Hashable, Sendable {
    /// No acknowledged data is known to be lost, but the history may have continued elsewhere.
    case doubt
    /// Kept data cannot be read.
    case damage
  }

  /// A fault.
  package struct Problem: Hashable, Sendable {
    package let severity: Severity
    package let text: String
  }

  /// The end of a segment.
  package enum End: Hashable, Sendable {
    /// Its daemon ended cleanly.
    case clean
    /// It was being written; the rest is empty or zeros.
    case open
    /// The next segment follows.
    case continued
    /// A copy ends here.
    case copied
    /// The rest is not a whole entry: its write may have been interrupted.
    case torn(at: Int)
    /// The rest is damaged.
    case damaged(at: Int)
  }

  /// A segment of the log.
  package struct Segment: Sendable {
    /// The name of its file.
    package let name: String
    package let first: UInt64
    package let term: UInt64
    /// The newest readable revision; nil if no entry is readable.
    package var last: UInt64?
    /// The number of its bytes; nil if it is unknown.
    package var bytes: Int?
    package var format: Int?
    /// The term of the daemon that has taken over; nil if there is no seal.
    package var seal: UInt64?
    /// The id of the machine's boot in which it was written; nil if it is unknown.
    package var boot: String?
    package var end: End
  }

  /// Entries that follow one another.
  struct Run: Hashable {
    var revisions: ClosedRange<UInt64>
    /// The checksum of the last one.
    var sum: UInt64
  }

  package let directory: String
  package private(set) var segments: [Segment] = []
  package private(set) var problems: [Problem] = []
  private(set) var runs: [Run] = []
  /// The header of the newest segment whose header is readable; nil if there is no such segment.
  private(set) var newest: LogHeader?
  /// The readable snapshots, newest first.
  private(set) var snapshots: [UInt64] = []
  private(set) var kept: KeptSnapshots
  /// The log's files.
  let files: [LogSegment]

  /// Examines a directory.
  ///
  /// - Throws: ``JournalError`` if there is no journal, if it has another release's format, or if a
  ///   file cannot be read now.
  package init(_ directory: String) throws(JournalError) {
    self.directory = directory
    files = try LogSegment.all(in: directory)
    kept = KeptSnapshots(in: directory, of: 0)
    if files.isEmpty { try surveyWithoutLog() }
    guard !files.isEmpty else { return }
    var before: Before?
    for (place, file) in files.enumerated() {
      let next = place + 1 < files.count ? files[place + 1] : nil
      before = try survey(file, next: next, before)
    }
    kept = KeptSnapshots(in: directory, of: newest?.history ?? 0)
    try surveySnapshots()
    let last = max(runs.last?.revisions.upperBound ?? 0, newest.map { $0.first - 1 } ?? 0)
    if let newest,
      let fault = JournalDirectory.fault(
        ofTerm: newest.term,
        newest: max(last, snapshots.first ?? 0),
      )
    {
      add(.damage, "In \(directory) \(fault).")
    }
    if let reached = runs.last?.revisions.upperBound, max(reached, snapshots.first ?? 0) < last {
      // The newest segment is empty, and begins after a gap.
      add(.damage, "Revisions \(reached + 1) to \(last) are missing.")
    }
    if let snapshot = snapshots.first {
      compare(snapshot, withLogUpTo: last)
    } else if last > 0 {
      add(.damage, "No snapshot is readable, and records have changes only.")
    }
  }

  /// Compares the newest snapshot with the records that follow it.
  private mutating func compare(_ snapshot: UInt64, withLogUpTo last: UInt64) {
    if snapshot > last {
      // A daemon reads the newest segment first, and refuses to start if its header is unreadable.
      if case .damaged = segments.last?.end { return }
      add(
        .doubt,
        "The log ends at revision \(last), and there is a snapshot of revision \(snapshot). A "
          + "daemon that starts continues from the snapshot, in another epoch.",
      )
    } else if !isDamaged, snapshot < last,
      !runs.contains(where: { $0.revisions.contains(snapshot + 1) })
    {
      add(
        .damage,
        "Revision \(snapshot + 1) is missing, which follows the newest snapshot. The log has "
          + "revisions up to \(last).",
      )
    }
  }

  private mutating func surveyWithoutLog() throws(JournalError) {
    try surveySnapshots()
    do throws(JournalError) {
      try JournalDirectory.checkPresence(in: directory)
    } catch {
      // A missing history, or one of another release, has no contents to examine.
      guard error.code == .corrupt, !snapshots.isEmpty else { throw error }
      return add(.damage, error.message)
    }
    throw JournalError(withoutJournalIn: directory)
  }

  /// Whether kept data cannot be read.
  package var isDamaged: Bool { problems.contains { $0.severity == .damage } }

  mutating func add(_ severity: Severity, _ text: String) {
    problems.append(Problem(severity: severity, text: text))
  }

  // MARK: Segments

  /// The end of a segment, for a comparison with the next header.
  private struct Before {
    var last: UInt64
    var sum: UInt64
    var total: UInt64
    /// Whether all of its entries were readable.
    var isWhole: Bool
  }

  private mutating func survey(
    _ file: LogSegment,
    next: LogSegment?,
    _ before: Before?,
  ) throws(JournalError) -> Before? {
    var found = Segment(name: file.name, first: file.first, term: file.term, end: .damaged(at: 0))
    let path = file.path(in: directory)
    let loaded: LoadedSegment
    do throws(JournalError) {
      loaded = try LoadedSegment(file, in: directory)
      // Records are unreadable without the types of their writer.
      _ = try JournalDirectory.schema(loaded.header.schema, in: directory)
    } catch {
      guard error.code == .corrupt else { throw error }
      found.bytes = try DurableFile.size(of: path)
      segments.append(found)
      add(.damage, "The header of \(path) cannot be read, and therefore none of its entries.")
      return nil
    }
    newest = loaded.header
    found.bytes = loaded.bytes.count
    found.format = loaded.header.format
    found.seal = loaded.seal
    found.boot = loaded.header.boot
    if let before { check(loaded.header, path, follows: before) }
    var ending: LoadedSegment.Ending?
    if next == nil {
      let snapshots = KeptSnapshots(in: directory, of: loaded.header.history)
      ending = try loaded.ending(at: path, beside: snapshots)
    }
    var walk = Walk(loaded, before: next?.first ?? ending?.limit.map { $0 + 1 })
    while try walk.step() {}
    for problem in walk.problems {
      add(
        .damage,
        "Bytes \(problem.lowerBound) to \(problem.upperBound - 1) of \(path)\(walk.note(problem))",
      )
    }
    join(walk.runs)
    found.last = walk.last
    found.end = try end(of: loaded, walk, path, ending)
    segments.append(found)
    return Before(
      last: walk.last ?? loaded.header.first - 1,
      sum: walk.sum,
      total: loaded.header.total + walk.total,
      isWhole: walk.problems.isEmpty,
    )
  }

  private mutating func check(
    _ header: LogHeader,
    _ path: String,
    follows before: Before,
  ) {
    guard before.isWhole, header.first == before.last + 1 else { return }
    if header.before != before.sum {
      add(.damage, "\(path) follows another entry than the one that is before it.")
    }
    if header.total != before.total {
      add(
        .damage,
        "\(path) states \(header.total) bytes of records before it, and there are "
          + "\(before.total).",
      )
    }
  }

  /// Adds the runs of a segment to the earlier ones.
  private mutating func join(_ found: [Walk.Part]) {
    for part in found {
      if let last = runs.last, last.revisions.upperBound + 1 == part.run.revisions.lowerBound {
        if last.sum == part.before {
          runs[runs.count - 1].revisions =
            last.revisions.lowerBound...part.run.revisions.upperBound
          runs[runs.count - 1].sum = part.run.sum
          continue
        }
        add(
          .damage,
          "Revisions \(part.run.revisions.lowerBound) to \(part.run.revisions.upperBound) belong "
            + "to another history than those before.",
        )
      } else if let last = runs.last, last.revisions.upperBound < part.run.revisions.lowerBound {
        add(
          .damage,
          "Revisions \(last.revisions.upperBound + 1) to \(part.run.revisions.lowerBound - 1) are "
            + "missing.",
        )
      }
      runs.append(part.run)
    }
  }

  private mutating func end(
    of loaded: LoadedSegment,
    _ walk: Walk,
    _ path: String,
    _ ending: LoadedSegment.Ending?,
  ) throws(JournalError) -> End {
    let damaged = walk.problems.first?.lowerBound
    guard let ending else {
      if let damaged { return .damaged(at: damaged) }
      return walk.kind == .end ? .clean : walk.kind == .copied ? .copied : .continued
    }
    if let seal = loaded.seal, try !LogFile.hasDraft(of: seal, beside: path) {
      add(
        .doubt,
        "\(path) was taken over by the daemon of term \(seal), and has no entry of that daemon: "
          + "its records may be in another directory.",
      )
    }
    if let damaged { return .damaged(at: damaged) }
    if walk.kind == nil, loaded.header.file == LogHeader.copied {
      add(.damage, "\(path) is a copy that breaks off after revision \(walk.reached).")
      return .damaged(at: walk.place)
    }
    guard let tail = ending.end.tail else {
      guard let kind = walk.kind else { return .open }
      return kind == .end ? .clean : .copied
    }
    let place = "bytes \(tail.place.lowerBound) to \(tail.place.upperBound - 1) of \(path)"
    if ending.isDamaged {
      add(
        .damage,
        "After revision \(walk.reached), \(place) are no entry, and more than a program leaves "
          + "that ends while it writes.",
      )
      return .damaged(at: tail.place.lowerBound)
    }
    add(
      .doubt,
      "After revision \(walk.reached), \(place) are no whole entry: one was being written when the "
        + "program or the machine ended, or the file was changed since. A daemon that starts cuts "
        + "them off, and keeps them beside the log.",
    )
    return .torn(at: tail.place.lowerBound)
  }

  // MARK: Snapshots

  private mutating func surveySnapshots() throws(JournalError) {
    var sums = LogSums(in: directory)
    for revision in try SnapshotFile.revisions(in: directory) {
      var isReadable = false
      for isCopy in [false, true] {
        let path = SnapshotFile.path(of: revision, in: directory, isCopy: isCopy)
        guard try DurableFile.exists(path) else { continue }
        guard let contents = try SnapshotFile.read(path, revision) else {
          add(.damage, "\(path) cannot be read.")
          continue
        }
        if try kept.isForeign(contents.fields, revision, &sums) {
          add(.doubt, "\(path) is a snapshot of another history. Move it away.")
        } else if let fault = Self.fault(of: contents, revision) {
          add(.damage, "\(path) cannot be used, although its checksum is right. \(fault)")
        } else {
          isReadable = true
        }
      }
      if isReadable { snapshots.append(revision) }
    }
  }

  /// Returns the reason for which a snapshot with a right checksum is unusable; nil if it
  /// is usable.
  private static func fault(
    of contents: SnapshotFile.Contents,
    _ revision: UInt64,
  ) -> String? {
    do {
      let schema = try SchemaDocument(encoded: contents.schema)
      _ = try PastWalk(HistoryPart(schema: schema, bytes: contents.bytes), of: revision)
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension LogSurvey {
  /// Iterates over a segment to its end, also after damage.
  struct Walk {
    struct Part {
      var run: Run
      /// The checksum of the entry that it follows.
      let before: UInt64
    }

    private let loaded: LoadedSegment
    private var cursor: LogCursor
    /// The first revision of the next segment: entries from there on were never acknowledged.
    private let limit: UInt64
    private(set) var runs: [Part] = []
    /// The damaged ranges.
    private(set) var problems: [Range<Int>] = []
    private var notes: [Range<Int>: String] = [:]
    /// The kind of the segment's end marker; nil if it has no marker.
    private(set) var kind: LogEntry.Kind?
    /// The newest revision of a readable entry; nil if no entry is readable.
    private(set) var last: UInt64?
    private(set) var sum: UInt64
    private(set) var total: UInt64 = 0
    /// The offset of the next entry.
    private(set) var place: Int
    /// The last entry that was found, and its records.
    private(set) var entry: (head: LogEntry.Head, records: [UInt8])?

    init(_ loaded: LoadedSegment, before limit: UInt64?) {
      self.loaded = loaded
      self.limit = limit ?? .max
      cursor = LogCursor(loaded)
      sum = loaded.header.before
      place = loaded.header.bytes
    }

    var reached: UInt64 { last ?? loaded.header.first - 1 }

    /// Returns the fault of a range, as the end of a sentence.
    func note(_ problem: Range<Int>) -> String { notes[problem] ?? " are no entry." }

    /// Continues with the next entry.
    ///
    /// - Returns: False at the end.
    mutating func step() throws(JournalError) -> Bool {
      entry = nil
      let start = place
      // Every entry is requested, independent of its revisions.
      switch try cursor.next(after: 0) {
      case .entry(let head):
        place = cursor.place
        return take(head, at: place - head.size..<place)
      case .damage(_, let range):
        place = cursor.place
        if reached + 1 < limit, kind == nil { problems.append(range) }
        return true
      case .end(let isTorn):
        // If another segment follows, all entries up to it were acknowledged.
        if isTorn, limit < .max, reached + 1 < limit, kind == nil {
          problems.append(start..<loaded.bytes.count)
        }
        return false
      }
    }

    private mutating func take(_ head: LogEntry.Head, at range: Range<Int>) -> Bool {
      guard head.first < limit || head.kind != .records else { return true }
      guard kind == nil else {
        return refuse(range, " are an entry after the end of the log.")
      }
      guard head.kind == .records else {
        // After unreadable entries the marker may name a later revision.
        guard head.last == reached && head.before == sum || !problems.isEmpty else {
          return refuse(
            range,
            " say that the log ends after revision \(head.last), and it does not.",
          )
        }
        kind = head.kind
        return true
      }
      guard head.first > reached else {
        return refuse(
          range,
          " are an entry of revisions \(head.first) to \(head.last), after \(reached).",
        )
      }
      guard head.last < limit else {
        return refuse(
          range,
          " are an entry of revisions \(head.first) to \(head.last), and the next segment begins "
            + "with \(limit).",
        )
      }
      let records = cursor.records(of: head)
      if let fault = Self.fault(of: records, head) {
        return refuse(
          range,
          " are an entry of revisions \(head.first) to \(head.last) whose checksum is right and "
            + "whose records are not: \(fault)",
        )
      }
      let isNext = head.before == sum && head.first == reached + 1
      // An entry that follows the last one proves that the bytes between them held no entry.
      if isNext, let problem = problems.last, problem.upperBound == range.lowerBound,
        notes[problem] == nil
      {
        problems.removeLast()
      }
      if let part = runs.last, isNext {
        runs[runs.count - 1].run = Run(
          revisions: part.run.revisions.lowerBound...head.last,
          sum: head.sum,
        )
      } else {
        let run = Run(revisions: head.first...head.last, sum: head.sum)
        runs.append(Part(run: run, before: head.before))
      }
      (last, sum, total) = (head.last, head.sum, total + UInt64(head.count))
      entry = (head, records)
      return true
    }

    /// Returns the fault of an entry's records; nil if they are valid.
    private static func fault(of records: [UInt8], _ head: LogEntry.Head) -> String? {
      var (decoder, next) = (CBORDecoder(records), head.first)
      do throws(CodecError) {
        while decoder.offset < records.count {
          let revision = try JournalRecord(from: &decoder).revision
          guard revision == next, next <= head.last else {
            return "revision \(revision) is in the place of \(next)."
          }
          next += 1
        }
      } catch {
        return "revision \(next) cannot be read: \(error)."
      }
      return next > head.last ? nil : "revision \(next) is missing."
    }

    private mutating func refuse(_ range: Range<Int>, _ note: String) -> Bool {
      problems.append(range)
      notes[range] = note
      return true
    }
  }
}
