import Foundation
import StoreReplication
import StoreState

/// Copies all that can be read of a damaged data directory to another one, as a new history.
///
/// A history goes from a state through records that follow one another, so that it ends before what
/// is missing. Of several the one is made that reaches the newest revision. Records that no state
/// leads to go to files of JSON beside it, and so do those of torn ends.
package struct Salvage {
  /// What was copied.
  package struct Report: Sendable {
    /// The name of the root's type.
    package var root: String
    /// The oldest revision of the new history whose state can be shown; nil where it has no state
    /// of its own, and begins with the initial one.
    package var oldestState: UInt64?
    /// The newest revision of the new history; nil where nothing could be begun.
    package var newest: UInt64?
    /// What is wrong, and what is missing, in sentences.
    package var missing: [String] = []
    /// The files of records that are no part of the new history.
    package var files: [String] = []
  }

  /// The folder of those files.
  private static let folderName = "salvaged"

  private let survey: LogSurvey
  private let target: String
  private var report: Report
  private let heading: HistoryHeading

  /// Looks through a directory.
  ///
  /// - Parameters:
  ///   - directory: The damaged one. Nothing in it is changed; no daemon may be using it.
  ///   - target: A directory that is empty, or is made.
  /// - Throws: ``JournalError``, or ``HistoryError`` where nothing can be read.
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
    report = Report(root: root)
    report.missing = survey.problems.map(\.text)
    heading = HistoryHeading(root: root, epoch: survey.newest?.epoch ?? 0, wasStopped: false)
  }

  /// Copies it.
  ///
  /// - Parameter onProgress: Called with the revision that was reached.
  /// - Returns: What was copied, and what is missing.
  /// - Throws: ``JournalError`` or ``HistoryError``.
  package mutating func run(onProgress: (UInt64) -> Void = { _ in }) throws -> Report {
    let base = try copyHistory(onProgress)
    for run in survey.runs where run != base { try copy(run.revisions, onProgress) }
    try copyTails()
    if !report.files.isEmpty { try DurableFile.syncWay(to: "\(target)/\(Self.folderName)/file") }
    return report
  }

  // MARK: The history

  /// Makes the history that reaches the newest revision.
  ///
  /// - Returns: Its records; nil for none.
  private mutating func copyHistory(_ onProgress: (UInt64) -> Void) throws -> LogSurvey.Run? {
    guard let (base, snapshots) = try best() else {
      report.missing.append(
        "No history could be made: no snapshot can be read, and no records begin with revision 1."
      )
      // Only what is salvaged goes there.
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
      guard let contents = try survey.kept.read(revision) else { continue }
      let schema = try JournalDirectory.schema(contents.schema, in: survey.directory)
      try copy.add(snapshot: HistoryPart(schema: schema, bytes: contents.bytes), of: revision)
    }
    if let base {
      if base.revisions.lowerBound == 1 { copy.initial = try initial() }
      try records(of: base.revisions) { part in
        _ = try copy.add(records: part)
        onProgress(copy.newest)
      }
    }
    report.newest = try copy.finish(needsState: false)
    report.oldestState = snapshots.last
    if snapshots.isEmpty {
      report.missing.append(
        "No snapshot can be read: only a program whose initial state is the one that the history "
          + "began with can go on from \(target), with --from-initial-state."
      )
    }
    return base
  }

  /// The records of the history to make, and its snapshots, newest first; nil for none.
  private func best() throws -> (run: LogSurvey.Run?, snapshots: [UInt64])? {
    var best: (reached: UInt64, run: LogSurvey.Run?)?
    for snapshot in survey.snapshots {
      let run = survey.runs.last { Self.states($0).contains(snapshot) }
      let reached = run?.revisions.upperBound ?? snapshot
      if best.map({ reached > $0.reached }) ?? true { best = (reached, run) }
    }
    if let best, let run = best.run {
      return (run, survey.snapshots.filter { Self.states(run).contains($0) })
    }
    if let best { return (nil, [best.reached]) }
    // Its program may have the initial state.
    let first = survey.runs.first { $0.revisions.lowerBound == 1 }
    guard let first, try initial() != 0 else { return nil }
    return (first, [])
  }

  /// The revisions whose states records lead from, or lead to.
  private static func states(_ run: LogSurvey.Run) -> ClosedRange<UInt64> {
    run.revisions.lowerBound - 1...run.revisions.upperBound
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

  /// Hands over the records of a run.
  private func records(
    of revisions: ClosedRange<UInt64>,
    _ take: (HistoryPart) throws -> Void,
  ) throws {
    for (place, file) in survey.files.enumerated() {
      let next = place + 1 < survey.files.count ? survey.files[place + 1].first : nil
      guard file.first <= revisions.upperBound, next.map({ $0 > revisions.lowerBound }) ?? true
      else { continue }
      let loaded: LoadedSegment
      do throws(JournalError) {
        loaded = try LoadedSegment(file, in: survey.directory)
      } catch {
        guard error.code == .corrupt else { throw error }
        continue
      }
      let schema = try JournalDirectory.schema(loaded.header.schema, in: survey.directory)
      var walk = LogSurvey.Walk(loaded, before: next)
      while try walk.step() {
        guard let (head, records) = walk.entry, revisions.contains(head.first) else { continue }
        try take(
          HistoryPart(schema: schema, bytes: records, sessionNumbers: head.sessionNumbers)
        )
      }
    }
  }

  // MARK: Other records

  /// Writes records that no state leads to.
  private mutating func copy(
    _ revisions: ClosedRange<UInt64>,
    _ onProgress: (UInt64) -> Void,
  ) throws {
    let (name, source) = ("\(revisions.lowerBound)-\(revisions.upperBound)", self)
    try write(name, after: revisions.lowerBound - 1) { lines in
      try source.records(of: revisions) { part in
        try lines.add(part)
        onProgress(lines.revision)
      }
    }
    report.missing.append(
      "Revisions \(revisions.lowerBound) to \(revisions.upperBound) are no part of the history, "
        + "for no state leads to them. They are in \(report.files.last ?? "")."
    )
  }

  /// Writes the records of torn ends, which are not known to be what was written.
  private mutating func copyTails() throws {
    for tail in try Tail.all(of: survey) {
      var last: UInt64?
      for part in tail.parts {
        let revisions = try part.records(through: .max)?.revisions
        guard let revisions, last.map({ $0 < revisions.lowerBound }) ?? true else { continue }
        last = revisions.upperBound
        let name = "torn-\(tail.name)-\(revisions.lowerBound)-\(revisions.upperBound)"
        try write(name, after: revisions.lowerBound - 1) { try $0.add(part) }
        report.missing.append(
          "Revisions \(revisions.lowerBound) to \(revisions.upperBound) of \(tail.path) were being "
            + "written when the program ended, and are no part of the history. They are in "
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

  /// A file of JSON that is written.
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
    /// The segment that they were in.
    let name: String
    let path: String
    /// Records that can be read, one piece after the other.
    let parts: [HistoryPart]

    static func all(of survey: LogSurvey) throws -> [Tail] {
      var tails: [Tail] = []
      for path in try LogSegment.tornPaths(in: survey.directory) {
        let name = String(path.split(separator: "/").last?.dropLast(5) ?? "")
        guard let segment = LogSegment(name: "\(name).log"),
          let bytes = try DurableFile.read(path)
        else { continue }
        do throws(JournalError) {
          // Without its key nothing is known of its bytes.
          let header = try LogHeader(of: segment, in: survey.directory)
          guard header.first == segment.first, header.term == segment.term else { continue }
          tails.append(try Tail(name, path, bytes, header, survey.directory))
        } catch {
          guard error.code == .corrupt || error.code == .missing else { throw error }
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
      return tails
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

    /// The records at the beginning of an entry that can be read, and follow one another.
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
  /// The bytes after a segment's end, as if they came after its header.
  fileprivate init(_ header: LogHeader, tail bytes: [UInt8]) {
    self.header = header
    self.bytes = Array(repeating: 0, count: header.bytes) + bytes
    onSearch = nil
  }
}
