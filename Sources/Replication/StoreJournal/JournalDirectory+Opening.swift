import Foundation
import StoreHistory
import StoreState
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension JournalDirectory {
  /// Refuses an incomplete directory, such as an unfinished copy or snapshots without a log, and a
  /// directory of an earlier release.
  static func checkPresence(in directory: String) throws(JournalError) {
    let log = LogSegment.folder(in: directory)
    guard try !DurableFile.exists(log + DurableFile.draftSuffix) else {
      throw JournalError(
        .corrupt,
        "A history was to be copied to \(directory), and that was not finished. Remove the "
          + "directory, then copy it again.",
      )
    }
    guard try LogSegment.every(in: directory).isEmpty else { return }
    if try DurableFile.exists("\(directory)/journal.sqlite") {
      throw JournalError(
        .older,
        "The journal in \(directory) has format 2, and this program reads format \(format). Export "
          + "it with the release that wrote it, and import that to another directory.",
      )
    }
    guard let found = try SnapshotFile.revisions(in: directory).first else { return }
    let state = try DurableFile.exists(log) ? "empty" : "missing"
    throw JournalError(
      .corrupt,
      "The journal in \(directory) is damaged: its log is \(state), and there is a snapshot of "
        + "revision \(found). Nothing was changed. Put \(log) back, or restore a backup to another "
        + "directory; to start over, move the directory away.",
    )
  }

  /// Refuses to begin if the process may not write a whole segment.
  static func checkFileLimit(
    atLeast least: Int,
    _ limit: UInt64? = fileLimit,
  ) throws(JournalError) {
    guard let limit, limit < least else { return }
    throw JournalError(
      .system,
      "The process may write files of \(limit) bytes, and a segment of the log has \(least). Raise "
        + "the limit: ulimit -f unlimited, or LimitFSIZE=infinity in a unit of systemd.",
    )
  }

  /// The size of the largest file that the process may write; nil if there is no limit.
  private static var fileLimit: UInt64? {
    var limit = rlimit()
    #if os(Linux)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur != rlim_t.max else { return nil }
    // Other systems represent no limit as the greatest signed number.
    return limit.rlim_cur >= rlim_t(Int64.max) ? nil : UInt64(limit.rlim_cur)
  }

  /// Reads the properties of a history, and refuses one of another root.
  static func open(_ request: Request) throws(JournalError) -> Opening {
    let segments = try LogSegment.all(in: request.directory)
    guard let newest = segments.last else {
      if request.mustExist { throw missing(request) }
      return Opening(
        epoch: request.epoch,
        isClean: false,
        isSameBuild: true,
        history: .random(in: 1 ... .max),
      )
    }
    let path = newest.path(in: request.directory)
    let segment = try LoadedSegment(
      newest,
      in: request.directory,
      onSearch: request.onSearch,
    )
    let header = segment.header
    try check(root: request.root, header, in: request.directory)
    let kept = KeptSnapshots(in: request.directory, of: header.history)
    let ending = try segment.ending(at: path, beside: kept)
    let (end, snapshot) = (ending.end, ending.snapshot)
    guard !ending.isDamaged else { throw damaged(end, path, in: request.directory) }
    if let fault = fault(ofTerm: header.term, newest: max(end.last, snapshot ?? 0)) {
      throw JournalError(in: request.directory, fault)
    }
    var opening = Opening(
      epoch: header.epoch,
      isClean: end.isClosed,
      isSameBuild: try isSameBuild(request, segments, kept, snapshot, end.last),
      newest: max(end.last, snapshot ?? 0),
      history: try history(header, snapshot, kept),
      term: header.term,
      log: Log(
        segments: segments,
        last: end.last,
        sum: try sum(of: snapshot, after: end, kept) ?? end.sum,
        history: header.history,
        total: header.total + end.total,
        wallMilliseconds: segment.time(of: end),
        found: ending.found,
        end: end,
      ),
    )
    opening.doubt = try doubt(
      segment,
      at: path,
      isPromised: ending.isPromised,
      records: end.last,
      snapshot: snapshot,
    )
    if opening.doubt != nil {
      var generator = SystemRandomNumberGenerator()
      opening.epoch = generator.next()
    }
    return opening
  }

  /// Returns the reason for which a history has no further numbers, as the end of a sentence; nil
  /// if it has.
  static func fault(ofTerm term: UInt64, newest revision: UInt64) -> String? {
    guard max(term, revision) >= KeptHistory.greatestNumber else { return nil }
    return "no number is left after term \(term) and revision \(revision)"
  }

  /// Returns the number of the history.
  ///
  /// A log of format 3 has no number. It gets that of its newest snapshot, if a program of a later
  /// format wrote that, or a new one.
  private static func history(
    _ header: LogHeader,
    _ newest: UInt64?,
    _ snapshots: KeptSnapshots,
  ) throws(JournalError) -> UInt64 {
    if header.history != 0 { return header.history }
    if let newest, let known = try snapshots.read(newest)?.fields.history, known != 0 {
      return known
    }
    return .random(in: 1 ... .max)
  }

  /// Returns the checksum of the entry of a snapshot that is newer than the log, which continues
  /// there; nil if it is unknown.
  private static func sum(
    of snapshot: UInt64?,
    after end: LogCursor.End,
    _ kept: KeptSnapshots,
  ) throws(JournalError) -> UInt64? {
    guard let snapshot, snapshot > end.last else { return nil }
    return try kept.read(snapshot)?.fields.sum
  }

  /// Returns the error for acknowledged entries that are missing after the end.
  static func damaged(
    _ end: LogCursor.End,
    _ path: String,
    in directory: String,
  ) -> JournalError {
    let place = end.tail?.place ?? end.place..<end.place
    return JournalError(
      in: directory,
      "bytes \(place.lowerBound) to \(place.upperBound - 1) of \(path), after revision "
        + "\(end.last), are no entry, and more than a program leaves that ends while it writes, "
        + "unless the disk has failed a write",
    )
  }

  private static func missing(_ request: Request) -> JournalError {
    JournalError(
      .missing,
      "There is no history in \(request.directory), and one is expected there. If it is a "
        + "mount point, look whether its disk is mounted. To begin a new history, leave "
        + "--existing away.",
    )
  }

  /// Returns whether this build made the last write.
  private static func isSameBuild(
    _ request: Request,
    _ segments: [LogSegment],
    _ snapshots: KeptSnapshots,
    _ newest: UInt64?,
    _ last: UInt64,
  ) throws(JournalError) -> Bool {
    let schema = request.schema.encoded()
    if let newest, newest >= last, let found = try snapshots.read(newest) {
      return found.schema == schema
    }
    // An empty segment has no writer.
    guard let written = segments.last(where: { $0.first <= last }) else { return true }
    return try LogHeader(of: written, in: request.directory).schema == schema
  }

  /// Returns the reason for which history may not continue at the end that a client saw; nil if
  /// it does.
  private static func doubt(
    _ segment: LoadedSegment,
    at path: String,
    isPromised: Bool,
    records last: UInt64,
    snapshot newest: UInt64?,
  ) throws(JournalError) -> String? {
    let header = segment.header
    if let term = segment.seal, try !LogFile.hasDraft(of: term, beside: path) {
      return "the daemon of term \(term) has taken it over, and its log is not there"
    }
    if !isPromised {
      return "the machine went down, and --durability \(header.durability.rawValue) was promised"
    }
    if try header.file != LogFile.identity(of: path) {
      return "the log is a copy, and the history may have gone on without it"
    }
    // A snapshot's file is written after the records that lead to it.
    guard let newest, newest > last else { return nil }
    return "there is a snapshot of revision \(newest), and the records end at \(last)"
  }

  /// Begins a segment after the log that was found when the directory was opened.
  ///
  /// The next file, with its header, exists before the seal. If a seal has neither a segment nor
  /// such a file, another daemon has written under that term.
  ///
  /// - Parameters:
  ///   - revision: The revision of the state with which a new history begins.
  ///   - initial: The checksum of that state, if it is the root's initial one; else 0.
  /// - Returns: The writer from now on.
  /// - Throws: ``JournalError``.
  func takeOver(at revision: UInt64, initial: UInt64) throws(JournalError) -> LogWriter {
    // Changes are reported before another daemon is fenced.
    try checkUnchanged()
    var header = LogHeader(
      root: request.root,
      epoch: opening.epoch,
      term: opening.term + 1,
      durability: request.durability,
      boot: Self.boot(),
      schema: request.schema.encoded(),
      history: opening.history,
    )
    header.first = max(opening.newest, revision) + 1
    header.before = opening.log.sum
    header.total = opening.log.total
    header.wallMilliseconds = Self.wallMilliseconds
    if header.first == 1 { header.initial = initial }
    var writer = try LogWriter(
      header,
      behind: opening.log.segments.filter { $0.first != header.first },
      in: directory,
      capacity: request.segmentBytes,
      foundMilliseconds: opening.log.wallMilliseconds,
    )
    let sealed = try seal(by: header.term) { writer.keepDraft() }
    var isKept = false
    if let sealed {
      try writeAgain(sealed.segment, to: sealed.file)
      isKept = try setAside(sealed.segment)
    }
    try writer.publish()
    // Bytes after the end were not acknowledged, and are ignored from now on.
    if isKept { try? sealed?.file.truncate(to: opening.log.end?.place ?? 0) }
    return writer
  }

  /// Prevents the earlier daemon from acknowledging more entries than were found.
  ///
  /// A seal is permanent: if several daemons take over at once, one of them may have begun
  /// to write.
  ///
  /// - Parameters:
  ///   - term: The term of the daemon that takes over.
  ///   - willSeal: Called before the first write.
  /// - Returns: The segment's file and contents; nil if there is no segment.
  /// - Throws: ``JournalError``.
  @discardableResult
  func seal(
    by term: UInt64,
    _ willSeal: () -> Void = {},
  ) throws(JournalError) -> (file: LogFile, segment: LoadedSegment)? {
    guard let newest = opening.log.segments.last else { return nil }
    let path = newest.path(in: directory)
    while true {
      let file = try LogFile(opening: path)
      willSeal()
      try file.seal(by: term)
      // A new name in the directory makes this machine reread its listing.
      if FileSystemKind.isShared(directory) { _ = try LogFile(in: directory, .none) }
      let segment = try checkUnchanged()
      // Another file may have replaced an empty segment.
      if let segment, try file.isNamed(path) {
        return (file, segment)
      }
    }
  }

  /// Rewrites the end from which the history continues, at its place and as it was read, and
  /// syncs it.
  ///
  /// After a failed sync the page cache may hold bytes that the disk lacks, and mark them clean: a
  /// further sync would not write them. Call it only under the seal, which prevents later writes of
  /// the earlier daemon.
  private func writeAgain(
    _ segment: LoadedSegment,
    to file: LogFile,
  ) throws(JournalError) {
    guard let end = opening.log.end else { return }
    let header = segment.header
    // Under `full` each entry was synced before the next one was written.
    let start = header.durability == .full ? min(end.entry, end.place) : header.bytes
    if let readFrom = readFrom.withLock({ $0 }), header.durability != .full {
      let path = LogSegment(first: header.first, term: header.term).path(in: directory)
      let now = try segment.ending(at: path, segment.end(), after: readFrom).end.last
      guard now >= end.last else {
        throw JournalError(
          .system,
          "Revision \(now + 1) in \(directory) has changed since it was read just now. Look "
            + "at the disk, then start again.",
        )
      }
    }
    guard start < end.place else { return }
    // The padding of the last entry may be missing at the end of a file without room.
    let written = segment.bytes[start..<min(end.place, segment.bytes.count)]
    try file.write(
      written + Array(repeating: 0, count: end.place - start - written.count),
      at: start,
    )
    try file.sync()
  }

  /// Keeps the bytes after the end of a log, which are cut off, for later analysis.
  ///
  /// - Returns: False if something other than a file has the name; then the bytes stay in
  ///   the segment.
  private func setAside(_ segment: LoadedSegment) throws(JournalError) -> Bool {
    guard let tail = opening.log.end?.tail else { return true }
    let name = LogSegment(first: segment.header.first, term: segment.header.term)
    let path = name.tornPath(in: directory)
    guard !DurableFile.isOtherThanFile(path) else { return false }
    try DurableFile.write(Array(segment.bytes[tail.place]), to: path)
    let older = try LogSegment.tornPaths(in: directory).dropLast(Self.tornKept)
    Self.remove(Array(older))
    return true
  }

  /// Paths with the name of a torn end that are not files: they are skipped, and kept.
  package var strangers: [String] {
    get throws(JournalError) { try LogSegment.torn(in: directory).others }
  }

  /// - Returns: The newest segment, as it is now; nil if there is no segment.
  @discardableResult
  func checkUnchanged() throws(JournalError) -> LoadedSegment? {
    let segments = try LogSegment.all(in: directory)
    var isUnchanged = segments == opening.log.segments
    var loaded: LoadedSegment?
    if isUnchanged, let newest = segments.last {
      let segment = try LoadedSegment(newest, in: directory, onSearch: request.onSearch)
      isUnchanged = try segment.end() == opening.log.found
      loaded = segment
    }
    guard isUnchanged else {
      throw JournalError(
        .busy,
        "Another daemon has written to \(directory) while its history was read. Stop one "
          + "of the two, then start again.",
      )
    }
    return loaded
  }

  /// Removes unneeded files of earlier programs from the log's folder.
  ///
  /// The names are listed before the seal is read. A daemon that takes over seals before it names a
  /// segment, so no name in the list is that of a later daemon, even if this process is stopped for
  /// any time between two steps.
  private func clearUpLog() throws(JournalError) {
    let folder = LogSegment.folder(in: directory)
    let names = try DurableFile.names(in: folder)
    let kept = try withWriter { (writer) throws(JournalError) in
      try writer.checkSeal()
      return writer.segments
    }
    let term = opening.term + 1
    let torn = Set(try LogSegment.tornPaths(in: directory))
    for name in names {
      // A torn end needs the key in its segment, which is removed with the log before it.
      let isStray =
        name.hasSuffix(DurableFile.draftSuffix)
        || LogSegment(name: name).map {
          $0.term < term && !kept.contains($0) && !torn.contains($0.tornPath(in: directory))
        } ?? false
      if isStray { Self.remove(["\(folder)/\(name)"]) }
    }
  }

  /// Removes unfinished and unneeded files.
  ///
  /// A directory that cannot be listed now keeps its files until the next start.
  ///
  /// - Throws: ``JournalError`` if another daemon has taken over.
  func clearUp() throws(JournalError) {
    do throws(JournalError) {
      try clearUpLog()
      let drafts = try SnapshotFile.all(in: directory).map(\.path)
        .filter { $0.hasSuffix(DurableFile.draftSuffix) }
      Self.remove(try unneededSnapshots() + drafts)
    } catch {
      guard error.code != .fenced else { throw error }
    }
  }

  /// Refuses the journal of another root, before any change.
  static func check(
    root: String?,
    _ header: LogHeader,
    in directory: String,
  ) throws(JournalError) {
    guard let root, header.root != root else { return }
    throw JournalError(
      .foreign,
      "The journal in \(directory) is that of \"\(header.root)\", and this daemon's root is "
        + "called \"\(root)\". Name another data directory.",
    )
  }

  /// Refuses an export of an unsupported format.
  package static func check(exportFormat: Int) throws(JournalError) {
    try check(format: exportFormat, of: "The export", from: oldestExport)
  }

  /// Refuses an unsupported format.
  static func check(format: Int, of what: String, from oldest: Int) throws(JournalError) {
    if format > Self.format {
      throw JournalError(
        .newer,
        "\(what) has format \(format), and this program knows formats up to \(Self.format). "
          + "Use the release that wrote it, or a later one.",
      )
    }
    if format < oldest {
      throw JournalError(
        .older,
        "\(what) has format \(format), and this program reads formats from \(oldest) on. "
          + "Use the release that wrote it.",
      )
    }
  }

  /// Returns an id of this boot of the machine; a random one if the system does not tell, so that
  /// every start of a daemon counts as another boot.
  static func boot() -> String { bootID ?? "\(UInt64.random(in: 0 ... .max))" }

  /// The system's id of this boot of the machine; nil if it is not known.
  static var bootID: String? {
    #if os(Linux)
    let path = "/proc/sys/kernel/random/boot_id"
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    #else
    var bytes = [UInt8](repeating: 0, count: 64)
    var size = bytes.count
    guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
    return String(decoding: bytes.prefix(size).prefix { $0 != 0 }, as: UTF8.self)
    #endif
  }
}
