import Foundation
import StoreHistory
import StoreProtocol
import StoreState

/// Copies the readable contents of a damaged data directory to another one, as a new history.
///
/// A history consists of a state and consecutive records, so it ends before the first gap. If
/// several histories are possible, the one with the newest revision is written. Records without a
/// state before them, and those of torn ends, are written to JSON files beside it.
package struct Salvage {
  /// The result of a salvage.
  package struct Report: Sendable {
    /// The name of the root's type.
    package var root: String
    /// The oldest revision of the new history whose state is readable; nil if there is no such
    /// state, so that only the program that began the history can use it.
    package var oldestState: UInt64?
    /// The newest revision of the new history; nil if no history was written.
    package var newest: UInt64?
    /// The faults and the missing parts, in sentences.
    package var missing: [String] = []
    /// The files of records that are not part of the new history.
    package var files: [String] = []
  }

  /// The folder of these files.
  private static let folderName = "salvaged"

  private let survey: LogSurvey
  private let target: String
  private var report: Report
  private let heading: HistoryHeading
  /// The revisions that have a snapshot.
  private let states: Set<UInt64>
  private var runs: [Run] = []

  /// Consecutive records.
  private struct Run {
    let revisions: ClosedRange<UInt64>
    /// The reason for which its only record does not fit the state before it; nil if all records
    /// fit, as far as that state is known.
    var fault: String?
  }

  /// Examines a directory.
  ///
  /// - Parameters:
  ///   - directory: The damaged directory. It is not changed; no daemon may be using it.
  ///   - target: An empty directory, or a new one, which is created.
  /// - Throws: ``JournalError``, or ``HistoryError`` if the directory is unreadable.
  package init(_ directory: String, to target: String) throws {
    survey = try LogSurvey(directory)
    self.target = target
    var root = survey.newest?.root
    if root == nil, let newest = survey.snapshots.first,
      let contents = try survey.kept.read(newest),
      case .named(let name) = try JournalDirectory.schema(contents.schema, in: directory).root
    {
      root = name
    }
    guard let root else {
      throw HistoryError(
        .corrupt,
        "Nothing of \(directory) can be read. Restore a backup.",
      )
    }
    states = Set(survey.snapshots)
    report = Report(root: root)
    report.missing = survey.problems.map(\.text)
    heading = HistoryHeading(root: root, epoch: survey.newest?.epoch ?? 0, wasStopped: false)
  }

  /// Copies the directory.
  ///
  /// - Parameter onProgress: Called with the revision that was reached.
  /// - Returns: The copied and the missing parts.
  /// - Throws: ``JournalError`` or ``HistoryError``.
  package mutating func run(onProgress: (UInt64) -> Void = { _ in }) throws -> Report {
    try findRuns()
    let base = try copyHistory(onProgress)
    for run in runs where run.revisions != base { try copy(run, onProgress) }
    try copyTails()
    if !report.files.isEmpty { try DurableFile.syncWay(to: "\(target)/\(Self.folderName)/file") }
    return report
  }

  // MARK: The history

  /// Finds runs of records that fit one after the other.
  ///
  /// A daemon refuses a history with a record that does not fit: such a record is its own run.
  private mutating func findRuns() throws {
    let source = self
    for run in survey.runs {
      let end = run.revisions.upperBound
      var (start, walk) = (run.revisions.lowerBound, PastWalk(after: run.revisions.lowerBound - 1))
      var found: [Run] = []
      try source.records(of: run.revisions) { part, last in
        while walk.revision < last {
          do {
            try walk.take(part, through: last) { (revision) throws(HistoryError) in
              try source.snapshot(of: revision)
            }
          } catch let error as HistoryError where error.code == .corrupt {
            let wrong = walk.revision + 1
            if start < wrong { found.append(Run(revisions: start...wrong - 1)) }
            found.append(Run(revisions: wrong...wrong, fault: error.message))
            start = wrong + 1
            walk = PastWalk(after: wrong)
          }
        }
      }
      runs += found
      if start <= end { runs.append(Run(revisions: start...end)) }
    }
  }

  private func snapshot(of revision: UInt64) throws(HistoryError) -> HistoryPart? {
    guard states.contains(revision) else { return nil }
    do throws(JournalError) {
      guard let contents = try survey.kept.read(revision) else { return nil }
      let schema = try JournalDirectory.schema(contents.schema, in: survey.directory)
      return HistoryPart(schema: schema, bytes: contents.bytes)
    } catch {
      throw HistoryError(.unavailable, error.message)
    }
  }

  /// Writes the history with the newest reachable revision.
  ///
  /// - Returns: Its records; nil if it has no records.
  private mutating func copyHistory(
    _ onProgress: (UInt64) -> Void
  ) throws -> ClosedRange<UInt64>? {
    guard let (base, snapshots) = try best() else {
      report.missing.append(
        "No history could be made: no snapshot can be read, and there are no records from revision "
          + "1 on whose initial state is known."
      )
      // The target gets only the files of other records.
      try DurableFile.makeDirectory(target)
      guard try DurableFile.names(in: target).isEmpty else {
        throw JournalError(
          .occupied,
          "\(target) is not empty. Name a directory that is, or is new.",
        )
      }
      return nil
    }
    let copy = try JournalCopy(heading, to: target)
    for revision in snapshots.reversed() {
      guard let part = try snapshot(of: revision) else { continue }
      try copy.add(snapshot: part, of: revision)
    }
    if let base {
      if base.lowerBound == 1 { copy.initial = try initial() }
      try records(of: base) { part, _ in
        _ = try copy.add(records: part)
        onProgress(copy.newest)
      }
    }
    report.newest = try copy.finish(needsState: false)
    report.oldestState = snapshots.last
    if snapshots.isEmpty {
      report.missing.append("Every state is missing: no snapshot can be read.")
    }
    return base
  }

  /// Returns the records of the history to write, and its snapshots, newest first; nil if no
  /// history is possible.
  private func best() throws -> (run: ClosedRange<UInt64>?, snapshots: [UInt64])? {
    let sound = runs.filter { $0.fault == nil }.map(\.revisions)
    var best: (reached: UInt64, run: ClosedRange<UInt64>?)?
    for snapshot in survey.snapshots {
      let run = sound.last { Self.states($0).contains(snapshot) }
      let reached = run?.upperBound ?? snapshot
      if best.map({ reached > $0.reached }) ?? true { best = (reached, run) }
    }
    if let best, let run = best.run {
      return (run, survey.snapshots.filter { Self.states(run).contains($0) })
    }
    if let best { return (nil, [best.reached]) }
    // The program that began the history may have the initial state.
    guard let first = sound.first(where: { $0.lowerBound == 1 }), try initial() != 0 else {
      return nil
    }
    return (first, [])
  }

  /// Returns the revisions whose states these records begin with or reach.
  private static func states(_ run: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    run.lowerBound - 1...run.upperBound
  }

  private func initial() throws -> UInt64 {
    guard let first = survey.files.first, first.first == 1 else { return 0 }
    do throws(JournalError) {
      return try LogHeader(of: first, in: survey.directory).initial
    } catch {
      guard error.code == .corrupt else { throw error }
      return 0
    }
  }

  /// Passes records to a closure, entry by entry, with the last revision of each.
  private func records(
    of revisions: ClosedRange<UInt64>,
    _ take: (HistoryPart, UInt64) throws -> Void,
  ) throws {
    for (place, file) in survey.files.enumerated() {
      let next = place + 1 < survey.files.count ? survey.files[place + 1].first : nil
      guard file.first <= revisions.upperBound, next.map({ $0 > revisions.lowerBound }) ?? true
      else { continue }
      let loaded: LoadedSegment
      let schema: SchemaDocument
      do throws(JournalError) {
        loaded = try LoadedSegment(file, in: survey.directory)
        schema = try JournalDirectory.schema(loaded.header.schema, in: survey.directory)
      } catch {
        guard error.code == .corrupt else { throw error }
        continue
      }
      var walk = LogSurvey.Walk(loaded, before: next)
      while try walk.step() {
        guard let (head, records) = walk.entry, revisions.overlaps(head.first...head.last) else {
          continue
        }
        var part = HistoryPart(schema: schema, bytes: records, sessionNumbers: head.sessionNumbers)
        let asked = revisions.clamped(to: head.first...head.last)
        if asked != head.first...head.last { part = try part.records(of: asked) }
        try take(part, asked.upperBound)
      }
    }
  }

  // MARK: Other records

  /// Writes records without a state before them.
  private mutating func copy(_ run: Run, _ onProgress: (UInt64) -> Void) throws {
    let (revisions, source) = (run.revisions, self)
    let name = "\(revisions.lowerBound)-\(revisions.upperBound)"
    try write(name, after: revisions.lowerBound - 1) { lines in
      try source.records(of: revisions) { part, _ in
        try lines.add(part)
        onProgress(lines.revision)
      }
    }
    let reason = run.fault.map { "their changes do not fit the state before: \($0)" }
    report.missing.append(
      "Revisions \(revisions.lowerBound) to \(revisions.upperBound) are no part of the history, "
        + "for \(reason ?? "no state leads to them"). They are in \(report.files.last ?? "")."
    )
  }

  /// Writes the records of torn ends, whose contents are unverified.
  private mutating func copyTails() throws {
    let (tails, unread) = try Tail.all(of: survey)
    report.missing += unread
    for tail in tails {
      var last: UInt64?
      for part in tail.parts {
        let revisions = try part.records(through: .max)?.revisions
        guard let revisions, last.map({ $0 < revisions.lowerBound }) ?? true else { continue }
        last = revisions.upperBound
        let name = "torn-\(tail.name)-\(revisions.lowerBound)-\(revisions.upperBound)"
        try write(name, after: revisions.lowerBound - 1) { try $0.add(part) }
        report.missing.append(
          "Revisions \(revisions.lowerBound) to \(revisions.upperBound) of \(tail.path) are of the "
            + "bytes after the end of the log, and are no part of the history. They were not "
            + "acknowledged, or their checksum is wrong: do not trust their contents. They are in "
            + "\(report.files.last ?? "")."
        )
      }
    }
  }

  private mutating func write(
    _ name: String,
    after revision: UInt64,
    _ body: (inout Lines) throws -> Void,
  ) throws {
    let folder = "\(target)/\(Self.folderName)"
    try DurableFile.makeDirectory(folder)
    let path = "\(folder)/\(name).jsonl"
    var lines = try Lines(
      path,
      PastExport(recordsAfter: revision, heading, format: JournalDirectory.format),
    )
    try body(&lines)
    try lines.finish()
    report.files.append(path)
  }

  /// A JSON file that is being written.
  private struct Lines {
    private let path: String
    private var export: PastExport
    private let handle: FileHandle

    var revision: UInt64 { export.revision }

    init(_ path: String, _ export: PastExport) throws {
      self.path = path
      self.export = export
      try DurableFile.write([], to: path)
      handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try write(self.export.begin())
    }

    mutating func add(_ part: HistoryPart) throws { try write(try export.lines(of: part)) }

    mutating func finish() throws {
      try write([export.end])
      try DurableFile.syncData(handle.fileDescriptor, path)
      try handle.close()
    }

    private func write(_ lines: [String]) throws {
      do {
        try handle.write(contentsOf: Data(lines.map { "\($0)\n" }.joined().utf8))
      } catch {
        throw JournalError(.system, "\(path) could not be written: \(error.localizedDescription)")
      }
    }
  }
}

extension Salvage {
  /// The bytes after an end of a log.
  private struct Tail {
    /// The name of their segment.
    let name: String
    let path: String
    /// The readable records, in pieces.
    let parts: [HistoryPart]

    /// Reads all torn ends, and describes the unreadable ones.
    static func all(of survey: LogSurvey) throws -> (tails: [Tail], unread: [String]) {
      let (files, others) = try LogSegment.torn(in: survey.directory)
      var tails: [Tail] = []
      var unread = others.map { "\($0) is not a regular file, and is passed over." }
      for path in files {
        let name = String(path.split(separator: "/").last?.dropLast(5) ?? "")
        guard let segment = LogSegment(name: "\(name).log") else { continue }
        do throws(JournalError) {
          guard let bytes = try DurableFile.read(path) else { continue }
          // Without its segment's key a torn end is unreadable.
          let header = try LogHeader(of: segment, in: survey.directory)
          guard header.first == segment.first, header.term == segment.term else { continue }
          tails.append(try Tail(name, path, bytes, header, survey.directory))
        } catch {
          switch error.code {
          case .corrupt, .missing:
            unread.append("\(path) is passed over: the header of its segment cannot be read.")
          case .unreadable: unread.append("\(path) is passed over. \(error.message)")
          default: throw error
          }
        }
      }
      if let newest = survey.files.last, let end = survey.segments.last?.end,
        case .torn(let place) = end
      {
        let loaded = try LoadedSegment(newest, in: survey.directory)
        tails.append(
          try Tail(
            String(newest.name.dropLast(4)),
            newest.path(in: survey.directory),
            Array(loaded.bytes[place...]),
            loaded.header,
            survey.directory,
          )
        )
      }
      return (tails, unread)
    }

    private init(
      _ name: String,
      _ path: String,
      _ bytes: [UInt8],
      _ header: LogHeader,
      _ directory: String,
    ) throws(JournalError) {
      (self.name, self.path) = (name, path)
      let schema = try JournalDirectory.schema(header.schema, in: directory)
      var parts: [HistoryPart] = []
      let head = bytes.withUnsafeBytes {
        LogEntry.head($0, format: header.format, key: header.key)
      }
      var walk = LogSurvey.Walk(LoadedSegment(header, tail: bytes), before: nil)
      if let head, head.kind == .records {
        let found = Self.records(of: head, bytes)
        if !found.isEmpty {
          parts.append(
            HistoryPart(schema: schema, bytes: found, sessionNumbers: head.sessionNumbers)
          )
        }
      }
      while try walk.step() {
        guard let (found, records) = walk.entry, found.first != head?.first else { continue }
        parts.append(
          HistoryPart(schema: schema, bytes: records, sessionNumbers: found.sessionNumbers)
        )
      }
      self.parts = parts
    }

    /// Returns the readable, consecutive records at the beginning of an entry.
    private static func records(of head: LogEntry.Head, _ bytes: [UInt8]) -> [UInt8] {
      let end = min(bytes.count, head.length + head.count)
      guard head.length < end else { return [] }
      let records = bytes[head.length..<end]
      var decoder = CBORDecoder(records)
      var (length, next) = (0, head.first)
      while next <= head.last {
        do throws(CodecError) {
          guard try JournalRecord(from: &decoder).revision == next else { break }
        } catch {
          break
        }
        (length, next) = (decoder.offset, next + 1)
      }
      return Array(records.prefix(length))
    }
  }
}

extension LoadedSegment {
  /// Treats the bytes after a segment's end as if they directly followed its header.
  fileprivate init(_ header: LogHeader, tail bytes: [UInt8]) {
    self.header = header
    self.bytes = Array(repeating: 0, count: header.bytes) + bytes
    onSearch = nil
  }
}
