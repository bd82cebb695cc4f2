import StoreHistory
import StoreState

/// All that can be read of a data directory, and all that is wrong with it: what `verify` tells,
/// and what `salvage` copies.
///
/// It goes on beyond damage, and changes nothing. No program may be writing the directory.
package struct LogSurvey {
  /// How bad something is.
  package enum Severity: Hashable, Sendable {
    /// Nothing is lost that anybody was told of, as far as is known; but the history may have
    /// been elsewhere.
    case doubt
    /// Something that was kept cannot be read.
    case damage
  }

  /// Something that is wrong.
  package struct Problem: Hashable, Sendable {
    package let severity: Severity
    package let text: String
  }

  /// What a segment ends with.
  package enum End: Hashable, Sendable {
    /// Its daemon has said that it ended.
    case clean
    /// It was being written; what follows are zeros, or nothing.
    case open
    /// The next segment follows.
    case continued
    /// A copy ends here.
    case copied
    /// What follows is no whole entry: one may have been written when its program ended.
    case torn(at: Int)
    /// What follows is damage.
    case damaged(at: Int)
  }

  /// A segment of the log.
  package struct Segment: Sendable {
    /// The name of its file.
    package let name: String
    package let first: UInt64
    package let term: UInt64
    /// The newest revision that can be read; nil for none.
    package var last: UInt64?
    /// The number of its bytes; nil where they cannot be read.
    package var bytes: Int?
    package var format: Int?
    /// The term of the daemon that has taken over; nil for none.
    package var seal: UInt64?
    /// The start of the machine in which it was written; nil where that is not known.
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
  /// What can be said of the newest segment whose beginning can be read; nil for none.
  private(set) var newest: LogHeader?
  /// The newest snapshots first.
  private(set) var snapshots: [UInt64] = []
  private(set) var kept: KeptSnapshots
  /// The log's files.
  let files: [LogSegment]

  /// Looks through a directory.
  ///
  /// - Throws: ``JournalError``, where there is no journal, where it is of another release, or
  ///   where a file cannot be read now.
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
      // The newest segment has no entry, and begins later than those before it end.
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
          + "daemon that starts goes on from the snapshot, in another epoch.",
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
      // A history that was never there, or is of another release, is none to look through.
      guard error.code == .corrupt, !snapshots.isEmpty else { throw error }
      return add(.damage, error.message)
    }
    throw JournalError(
      .missing,
      "There is no journal in \(directory). Name the directory that the daemon was given with "
        + "--data, or \"data\" in its directory.",
    )
  }

  /// Whether anything that was kept cannot be read.
  package var isDamaged: Bool { problems.contains { $0.severity == .damage } }

  mutating func add(_ severity: Severity, _ text: String) {
    problems.append(Problem(severity: severity, text: text))
  }

  // MARK: Segments

  /// What a segment is followed by.
  private struct Before {
    var last: UInt64
    var sum: UInt64
    var total: UInt64
    /// Whether all of it could be read.
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
      // Nobody reads records without the types that they were written with.
      _ = try JournalDirectory.schema(loaded.header.schema, in: directory)
    } catch {
      guard error.code == .corrupt else { throw error }
      found.bytes = try DurableFile.size(of: path)
      segments.append(found)
      add(.damage, "What \(path) begins with cannot be read, so nothing of it can.")
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
        "\(path) says that \(header.total) bytes of records are before it, and there are "
          + "\(before.total).",
      )
    }
  }

  /// Adds the runs of a segment to those before.
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
        "\(path) was taken over by the daemon of term \(seal), and nothing of that daemon is here: "
          + "what it has written may be elsewhere.",
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

  /// Why a snapshot cannot be read that has its checksum; nil where it can.
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
  /// Goes through a segment to its end, also beyond damage.
  struct Walk {
    struct Part {
      var run: Run
      /// The checksum of the entry that it follows.
      let before: UInt64
    }

    private let loaded: LoadedSegment
    private var cursor: LogCursor
    /// The revision that the next segment begins with: entries from there on were never told.
    private let limit: UInt64
    private(set) var runs: [Part] = []
    /// Bytes that are not what they should be.
    private(set) var problems: [Range<Int>] = []
    private var notes: [Range<Int>: String] = [:]
    /// What it says that it ends with; nil for nothing.
    private(set) var kind: LogEntry.Kind?
    /// The newest revision of an entry that can be read; nil for none.
    private(set) var last: UInt64?
    private(set) var sum: UInt64
    private(set) var total: UInt64 = 0
    /// Where the next entry begins.
    private(set) var place: Int
    /// The entry that was found last, and its records.
    private(set) var entry: (head: LogEntry.Head, records: [UInt8])?

    init(_ loaded: LoadedSegment, before limit: UInt64?) {
      self.loaded = loaded
      self.limit = limit ?? .max
      cursor = LogCursor(loaded)
      sum = loaded.header.before
      place = loaded.header.bytes
    }

    var reached: UInt64 { last ?? loaded.header.first - 1 }

    /// What is wrong with a range, as the end of a sentence.
    func note(_ problem: Range<Int>) -> String { notes[problem] ?? " are no entry." }

    /// Goes on to the next entry.
    ///
    /// - Returns: False at the end.
    mutating func step() throws(JournalError) -> Bool {
      entry = nil
      let start = place
      // All of them, whatever revisions they have.
      switch try cursor.next(after: 0) {
      case .entry(let head):
        place = cursor.place
        return take(head, at: place - head.size..<place)
      case .damage(_, let range):
        place = cursor.place
        if reached + 1 < limit, kind == nil { problems.append(range) }
        return true
      case .end(let isTorn):
        // Where another segment follows, all up to it was told.
        if isTorn, limit < .max, reached + 1 < limit, kind == nil {
          problems.append(start..<loaded.bytes.count)
        }
        return false
      }
    }

    private mutating func take(_ head: LogEntry.Head, at range: Range<Int>) -> Bool {
      guard head.first < limit || head.kind != .records else { return true }
      guard kind == nil else {
        return refuse(range, " are an entry after the one that says that the log ends.")
      }
      guard head.kind == .records else {
        // Where entries cannot be read it ends behind them.
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
      // Nothing is missing before an entry that follows the last one.
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

    /// What is wrong with the records of an entry; nil for nothing.
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
