import StoreHistory

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps a copy of a data directory up to date while its daemon writes: `storectl backup --follow`.
///
/// The copy is a data directory: the same segments and snapshots, byte for byte, apart from the
/// seals, which are a matter of the source's writers. Its newest segment ends after its last entry,
/// and is replaced as it grows. Each entry and each snapshot is verified before it is sent, and
/// each file is verified at its place before it gets its name. At every moment the copy restores to
/// an earlier state of the source, from its first snapshot on.
///
/// The copy never gives up a revision because the source has lost it. It ends with an error
/// then, since the copy may be all that is left.
///
/// Isolation: one thread at a time. Calls block.
package final class JournalFollower {
  /// A copy's progress.
  package struct Progress: Hashable {
    /// The newest revision of the copy.
    package var revision: UInt64 = 0
    /// Whether the copy had everything that the source had when the pass began.
    package var isComplete = false
  }

  /// An event that the user must know.
  package enum Event: Hashable, CustomStringConvertible {
    /// The source no longer has revisions that the copy lacks.
    case restarted(after: UInt64, at: UInt64)
    /// A file of the copy was damaged.
    case replaced(String)
    /// A file of the copy is damaged, and the source no longer has it.
    case stale(String)
    /// Earlier history of the source is damaged.
    case damaged(String)
    /// The note in the source could not be written, so its daemon does not report the copy.
    case unnoted(String)

    package var description: String {
      switch self {
      case .restarted(let last, let snapshot):
        "The source no longer has the history after revision \(last), where the copy ended. The "
          + "copy begins again with the snapshot of revision \(snapshot)."
      case .replaced(let name): "\(name) of the copy is damaged. It is copied again."
      case .stale(let name):
        "\(name) of the copy is damaged, and the source no longer has it. It stays, and a restore "
          + "begins with a later snapshot, as long as the copy keeps the history before it."
      case .damaged(let fault): "\(fault) The copy lacks the earlier history."
      case .unnoted(let fault): "The daemon's status does not show this copy. \(fault)"
      }
    }
  }

  let source: String
  /// The place of the copy; another connection to it may replace it.
  package var place: CopyPlace
  private let retention: Retention
  let onEvent: (Event) -> Void
  /// The source's history, and its root's name.
  let history: UInt64
  package let root: String
  let snapshots: KeptSnapshots
  /// The files of the copy that do not change any more, by name; nil if it is to be compared.
  var files: [String: CopyList.File]?
  /// The newest segment of the copy, while it grows.
  var growing: Growing?
  /// The copy's files before a gap: they are removed when the copy can do without them.
  var leftovers: Set<String> = []
  /// Whether the content of all files of the copy was compared.
  var isVerified = false
  /// The newest segment of the source that is damaged: the copy begins after it.
  private var unreadable: LogSegment?
  /// The end of the newest segment's whole entries, if more bytes followed at the last look.
  private var damagedEnd: SegmentPart?
  /// The snapshots of the source that cannot be used, as they were when that was found.
  private var unusable: [String: FileStamp] = [:]
  private var note: FollowerNote
  private var isNoted = true
  private var misses = 0

  /// A segment that may grow.
  struct Growing {
    let segment: LogSegment
    var part: SegmentPart
    var sum: CopyChecksum
    /// The source's file when it was read; nil if it is to be read again.
    var stamp: FileStamp?
  }

  /// Begins to follow.
  ///
  /// - Parameters:
  ///   - source: A data directory, which a daemon may be using.
  ///   - place: The directory of the copy.
  ///   - retention: The limits for old history in the copy: of the bytes of its files, and of age.
  ///   - onEvent: Called with events.
  /// - Throws: ``JournalError``.
  package init(
    _ source: String,
    to place: CopyPlace,
    _ retention: Retention,
    onEvent: @escaping (Event) -> Void,
  ) throws(JournalError) {
    try JournalDirectory.checkPresence(in: source)
    guard let newest = try LogSegment.all(in: source).last else {
      throw JournalError(withoutJournalIn: source)
    }
    let header = try LogHeader(of: newest, in: source)
    (history, root) = (header.history, header.root)
    snapshots = KeptSnapshots(in: source, of: history)
    self.source = source
    self.place = place
    self.retention = retention
    self.onEvent = onEvent
    note =
      FollowerNote.read(place.name, in: source)
      ?? FollowerNote(target: place.name, pid: 0, revision: 0, completeAt: 0)
    note.pid = getpid()
  }

  /// The newest revision of the copy; 0 before there is any.
  var reached: UInt64 {
    max(growing?.part.last ?? 0, finished.map(\.file.last).max() ?? 0)
  }

  /// The copy's segments that do not grow any more, oldest first, without leftovers.
  var finished: [(segment: LogSegment, file: CopyList.File)] {
    (files ?? [:]).values.compactMap { file in
      guard !leftovers.contains(file.name) else { return nil }
      return file.segment.map { ($0, file) }
    }.sorted { $0.0 < $1.0 }
  }

  /// The copy's segments, oldest first, without leftovers.
  private var held: [LogSegment] {
    (finished.map(\.segment) + [growing?.segment].compactMap { $0 }).sorted()
  }

  /// Whether a copy was kept at the place before.
  var wasKept: Bool { note.revision > 0 }

  // MARK: Passing over the source

  /// Copies what is new, and notes that in the source.
  ///
  /// - Parameter onProgress: Called with the revision that was reached.
  /// - Returns: The progress.
  /// - Throws: ``JournalError``. If ``JournalError/Code/isForNow`` is true, the caller may try
  ///   again; the copy is then compared again.
  package func pass(onProgress: (UInt64) -> Void = { _ in }) throws(JournalError) -> Progress {
    let startedAt = JournalDirectory.wallMilliseconds
    do throws(JournalError) {
      let progress = try step(onProgress)
      misses = 0
      write { note in
        (note.revision, note.fault) = (progress.revision, nil)
        if progress.isComplete { note.completeAt = startedAt }
      }
      return progress
    } catch  where error.code == .missing && misses < Self.mostMisses {
      // The source has removed old history meanwhile; the copy is as it was.
      guard try !LogSegment.all(in: source).isEmpty else {
        throw JournalError(withoutJournalIn: source)
      }
      misses += 1
      return Progress(revision: reached)
    } catch {
      misses = 0
      // The last command may have been executed or not.
      (files, growing) = (nil, nil)
      write { $0.fault = error.message }
      guard error.code == .missing else { throw error }
      throw JournalError(.busy, error.message)
    }
  }

  /// The number of passes in a row that miss a file of the source, before that is a fault.
  private static let mostMisses = 3

  /// Writes the note, unless nothing but the time has changed.
  ///
  /// A failure does not end the copying: the source's disk may be full.
  private func write(_ change: (inout FollowerNote) -> Void) {
    var next = note
    change(&next)
    var same = next
    same.completeAt = note.completeAt
    // The clock may have been set back.
    let isOld =
      next.completeAt < note.completeAt
      || next.completeAt - note.completeAt >= Self.noteMilliseconds
    guard same != note || isOld else { return }
    note = next
    do throws(JournalError) {
      try note.write(to: source)
      isNoted = true
    } catch {
      if isNoted { onEvent(.unnoted(error.message)) }
      isNoted = false
    }
  }

  /// The time after which an unchanged note is written again, in milliseconds.
  private static let noteMilliseconds: UInt64 = 5_000

  private func step(_ onProgress: (UInt64) -> Void) throws(JournalError) -> Progress {
    let segments = try LogSegment.all(in: source)
    guard let first = segments.first else { throw JournalError(withoutJournalIn: source) }
    if files == nil { try compare(segments) }
    if let last = try gap(before: first, segments) { try beginAgain(after: last, segments) }
    let plan = try plan(segments)
    for (place, segment) in plan.forward {
      do throws(JournalError) {
        try copy(segment, next: segments.dropFirst(place + 1).first)
      } catch {
        // What a copy has is not given up for a source that is damaged.
        guard error.code == .corrupt, reached == 0 else { throw error }
        unreadable = segment
        try beginAgain(after: 0, segments, because: error)
        return Progress(revision: reached)
      }
      onProgress(reached)
      try copySnapshots(upTo: reached)
    }
    try copySnapshots(upTo: reached)
    try remove(Array(leftovers))
    leftovers = []
    for (place, segment) in plan.backward where segment > unreadable ?? LogSegment.none {
      guard try isRetained(segment, segments[place + 1]) else { break }
      do throws(JournalError) {
        try copy(segment, next: segments[place + 1])
      } catch {
        guard error.code == .corrupt else { throw error }
        // No restart needs it.
        unreadable = segment
        onEvent(.damaged(error.message))
      }
    }
    try trim()
    return Progress(revision: reached, isComplete: true)
  }

  private typealias Numbered = (place: Int, segment: LogSegment)

  /// Returns the segments to copy: from the beginning of the copy on, and then those before it,
  /// newest first.
  ///
  /// The copy therefore always has consecutive segments.
  private func plan(
    _ segments: [LogSegment]
  ) throws(JournalError) -> (forward: [Numbered], backward: [Numbered]) {
    var start = held.first
    if start == nil {
      let snapshot = try startSnapshot(segments)
      start = segments.last { $0.first <= (snapshot ?? 0) + 1 }
    }
    let (known, oldest) = (Set(finished.map(\.segment)), start ?? segments[0])
    let missing = segments.enumerated().map { (place: $0.offset, segment: $0.element) }
      .filter { !known.contains($0.segment) }
    return (
      missing.filter { $0.segment >= oldest }, missing.filter { $0.segment < oldest }.reversed(),
    )
  }

  /// The snapshot with which a new copy begins: the oldest one whose records are readable.
  private func startSnapshot(_ segments: [LogSegment]) throws(JournalError) -> UInt64? {
    let readable = segments.first { $0 > unreadable ?? LogSegment.none }
    guard let first = readable?.first else { return nil }
    return try snapshots.readable().last { $0 + 1 >= first }
  }

  /// Returns the revision at which the copy ends, if the source no longer has the next one.
  ///
  /// - Throws: ``JournalError`` if the source has the next revision, and it does not follow.
  private func gap(
    before first: LogSegment,
    _ segments: [LogSegment],
  ) throws(JournalError) -> UInt64? {
    guard let newest = held.last else { return nil }
    let reached = reached
    // A finished segment has a successor, unless the source has lost it.
    let isLost = newest == segments.last && growing?.segment != newest
    let isNext = segments.contains(newest) || segments.contains { $0.first == reached + 1 }
    if isNext, !isLost { return nil }
    guard reached + 1 < first.first else { throw otherPast(newest.copyName) }
    return reached
  }

  /// Begins the copy again with a snapshot, and keeps its files until that is complete.
  private func beginAgain(
    after last: UInt64,
    _ segments: [LogSegment],
    because damage: JournalError? = nil,
  ) throws(JournalError) {
    guard let snapshot = try startSnapshot(segments) else {
      throw damage
        ?? JournalError(.corrupt, "\(source) has no snapshot with which a copy could begin.")
    }
    leftovers.formUnion((files ?? [:]).keys)
    if let growing { leftovers.insert(growing.segment.copyName) }
    growing = nil
    // A directory with an incomplete end of its log restores to its newest snapshot.
    if last > 0 { try copySnapshot(snapshot) }
    for isCopy in [false, true] {
      leftovers.remove(SnapshotFile.copyName(of: snapshot, isCopy: isCopy))
    }
    onEvent(damage.map { .damaged($0.message) } ?? .restarted(after: last, at: snapshot))
  }

  /// The error for a source whose history is not that of the copy.
  func otherPast(_ name: String) -> JournalError {
    JournalError(
      .occupied,
      "\(name) in \(place.name) is not what \(source) has: the source continued from an earlier "
        + "state, or another program has written to the copy. The copy is kept, because it may "
        + "have revisions that the source lost. Name another directory for a new copy.",
    )
  }

  // MARK: Segments

  /// Copies a segment, or what it has gained.
  private func copy(_ segment: LogSegment, next: LogSegment?) throws(JournalError) {
    let stamp = next == nil ? FileStamp(of: segment.path(in: source)) : nil
    let known = growing.flatMap { $0.segment == segment ? $0 : nil }
    if let known, next == nil, stamp != nil, known.stamp == stamp { return }
    // The newest one is synced: the copy must have no revision that the source could still lose.
    let loaded = try LoadedSegment(segment, in: source, isWritten: next == nil)
    let part = try SegmentPart(of: loaded, before: next?.first)
    try check(loaded, part, segment, next)
    let (bytes, name) = (Self.bytes(of: loaded, part), segment.copyName)
    // The beginning that the copy has, and all of it.
    let start = min(known?.part.place ?? 0, bytes.count)
    let former = CopyChecksum(bytes[..<start])
    var sum = former
    sum.append(bytes[start...])
    let file = CopyList.File(segment, part, sum)
    let line = next == nil ? nil : file.line
    if let known, known.sum == former {
      if start < bytes.count || line != nil {
        try place.write(
          bytes[start...],
          to: name,
          isRest: true,
          sum,
          listing: line,
          replacing: .file(known.sum.text),
        )
      }
    } else if let known {
      if part.isTorn, part.last < known.part.last { throw damage(after: part.last, segment) }
      try checkVoid(bytes, of: loaded, next, try place.read(name, known.sum.text))
      let former = CopyPlace.Former.file(known.sum.text)
      try place.write(bytes[...], to: name, sum, listing: line, replacing: former)
    } else {
      try place.write(bytes[...], to: name, sum, listing: line)
    }
    if line == nil {
      // A write in the same tick of the clock would not be noticed.
      let stamp = part.isDamaged || stamp?.isRecent ?? true ? nil : stamp
      growing = Growing(segment: segment, part: part, sum: sum, stamp: stamp)
    } else {
      files?[name] = file
      if known != nil { growing = nil }
    }
  }

  /// The bytes of a segment as the copy has them: without a seal, and without room for entries.
  static func bytes(of loaded: LoadedSegment, _ part: SegmentPart) -> [UInt8] {
    var bytes = Array(loaded.bytes[..<part.place])
    for place in LogHeader.sealRange { bytes[place] = 0 }
    return bytes
  }

  /// Checks that a segment is of this history, follows the one before, and leads to the next one.
  private func check(
    _ loaded: LoadedSegment,
    _ part: SegmentPart,
    _ segment: LogSegment,
    _ next: LogSegment?,
  ) throws(JournalError) {
    guard loaded.header.history == history, loaded.header.root == root else {
      throw otherPast(segment.copyName)
    }
    if let before = finished.last(where: { $0.segment < segment })?.file,
      before.last + 1 != segment.first || before.entrySum != loaded.header.before
    {
      throw otherPast(segment.copyName)
    }
    guard let next else {
      // A program that is writing may show half of an entry, once.
      defer { damagedEnd = part.isDamaged ? part : nil }
      guard part.isDamaged, damagedEnd == part else { return }
      throw damage(after: part.last, segment)
    }
    let isNext = part.last + 1 == next.first
    let before = try LogHeader(of: next, in: source).before
    guard !part.isDamaged, isNext, before == part.sum else {
      throw damage(after: part.last, segment)
    }
  }

  func damage(after last: UInt64, _ segment: LogSegment) -> JournalError {
    JournalError(
      .corrupt,
      "Revision \(last + 1) of \(source) cannot be read, or is missing: see "
        + "\(segment.path(in: source)).",
    )
  }

  /// Checks that a segment may replace a longer one of the copy.
  ///
  /// A daemon that took over may have voided the last entries of its predecessor, which were never
  /// acknowledged. In this case the epoch continues. Otherwise the source has lost revisions.
  func checkVoid(
    _ bytes: [UInt8],
    of loaded: LoadedSegment,
    _ next: LogSegment?,
    _ copy: [UInt8],
  ) throws(JournalError) {
    let name = LogSegment(first: loaded.header.first, term: loaded.header.term).copyName
    guard let next else { throw otherPast(name) }
    let epoch = try LogHeader(of: next, in: source).epoch
    guard epoch == loaded.header.epoch, copy.starts(with: bytes) else { throw otherPast(name) }
  }

  // MARK: Snapshots

  /// Copies the snapshots that the records reach.
  func copySnapshots(upTo revision: UInt64) throws(JournalError) {
    var sums = LogSums(in: source)
    let oldest = held.first
    for file in try SnapshotFile.all(in: source) {
      guard let found = file.revision, found <= revision, found + 1 >= oldest?.first ?? 0 else {
        continue
      }
      try copySnapshot(found, isCopy: file.isCopy, &sums)
    }
  }

  /// Copies a file of a snapshot, unless the copy has it, or it is damaged or of another history.
  private func copySnapshot(
    _ revision: UInt64,
    isCopy: Bool,
    _ sums: inout LogSums,
  ) throws(JournalError) {
    let name = SnapshotFile.copyName(of: revision, isCopy: isCopy)
    guard files?[name] == nil, !isCopy || needsSecondFile(of: revision) else { return }
    let path = SnapshotFile.path(of: revision, in: source, isCopy: isCopy)
    let stamp = FileStamp(of: path)
    if let stamp, unusable[name] == stamp { return }
    unusable[name] = stamp
    guard let bytes = try SnapshotFile.bytes(path, revision),
      let contents = try SnapshotFile.contents(of: bytes, path, revision),
      try !snapshots.isForeign(contents.fields, revision, &sums)
    else { return }
    let sum = CopyChecksum(bytes[...])
    let file = CopyList.File(name: name, sum: sum.text, last: revision)
    unusable[name] = nil
    try place.write(bytes[...], to: name, sum, listing: file.line)
    files?[name] = file
  }

  /// Copies the snapshot with which the copy begins again after a gap.
  func copySnapshot(_ revision: UInt64) throws(JournalError) {
    var sums = LogSums(in: source)
    for isCopy in [false, true] { try copySnapshot(revision, isCopy: isCopy, &sums) }
  }

  /// Whether no other revision has a snapshot in the copy.
  private func needsSecondFile(of revision: UInt64) -> Bool {
    !(files ?? [:]).values.contains {
      $0.snapshot.map { $0 != revision } ?? false && !leftovers.contains($0.name)
    }
  }

  // MARK: Old history

  func remove(_ names: [String]) throws(JournalError) {
    guard !names.isEmpty else { return }
    try place.remove(names)
    for name in names { files?[name] = nil }
  }

  /// Removes old history beyond the retention, oldest first.
  ///
  /// The two newest snapshots stay, and the records after the older one.
  private func trim() throws(JournalError) {
    guard let all = files?.values else { return }
    let revisions = Set(all.compactMap(\.snapshot)).sorted(by: >)
    var unneeded: [CopyList.File] = []
    if revisions.count > 1 {
      unneeded += all.filter {
        $0.snapshot != nil && $0.name.hasSuffix(SnapshotFile.copySuffix)
          && files?[SnapshotFile.copyName(of: $0.last, isCopy: false)] != nil
      }
    }
    let needed = revisions.dropFirst().first ?? 0
    let old = all.filter { $0.snapshot.map { $0 < needed } ?? ($0.last <= needed) }
      .sorted { $0.last < $1.last }
    let newestAt = max(
      growing?.part.wallMilliseconds ?? 0,
      all.map(\.wallMilliseconds).max() ?? 0,
    )
    let start = retention.start(at: min(newestAt, JournalDirectory.wallMilliseconds))
    var bytes = old.reduce(0) { $0 + $1.bytes }
    var count = 0
    for (place, file) in old.enumerated() {
      let isOld = file.segment != nil && file.wallMilliseconds < start
      // Everything before it is removed as well, so the copy has consecutive segments.
      if bytes > retention.bytes || isOld { count = place + 1 }
      bytes -= file.bytes
    }
    let end = old.prefix(count).last { $0.segment != nil }?.last
    // The snapshot at the boundary belongs to the records after it.
    unneeded += old.prefix(count).filter { $0.segment != nil || $0.last != end }
    guard !unneeded.isEmpty else { return }
    try remove(unneeded.map(\.name))
    try compactList()
  }

  /// Returns whether the retention keeps a segment of the source before the copy's oldest one.
  private func isRetained(
    _ segment: LogSegment,
    _ next: LogSegment,
  ) throws(JournalError) -> Bool {
    let kept = (files ?? [:]).values.reduce(0) { $0 + $1.bytes }
    let bytes = try DurableFile.size(of: segment.path(in: source)) ?? 0
    let start = retention.start(at: JournalDirectory.wallMilliseconds)
    let header = try LogHeader(of: next, in: source)
    return kept + bytes <= retention.bytes && header.wallMilliseconds >= start
  }

  /// Rewrites the list of the copy without removed files.
  func compactList() throws(JournalError) {
    var list = CopyList(history: history, root: root)
    list.files = files ?? [:]
    let bytes = Array(list.text.utf8)
    try place.write(bytes[...], to: CopyList.name, CopyChecksum(bytes[...]))
  }
}
