import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A segment's file that is open to be written.
final class LogFile: Sendable {
  private let descriptor: Int32
  /// Where it is until it gets its name.
  private let draft: String
  /// Writes all but the first page; nil where everything goes through the page cache.
  ///
  /// On the first page is the seal, which others write. A file system that takes the flag may say
  /// at the first write that it cannot do that, and go on saying so of the same descriptor, as one
  /// in user space does that hands the flag on; then there is the other one.
  private let pages: Mutex<LogPages?>
  /// How much of a draft stays that gets no name; 0 for nothing of it.
  private let keptBytes = Atomic(0)
  /// Whether another machine may write it: then its seal is not read from the page cache.
  private let isShared: Bool

  /// Makes a file that nobody knows yet.
  ///
  /// - Parameters:
  ///   - directory: Where the journal is.
  ///   - durability: What is promised of what is written: where each entry is synced, the page
  ///     cache is in the way.
  /// - Throws: ``JournalError``.
  convenience init(in directory: String, _ durability: Durability) throws(JournalError) {
    let folder = LogSegment.folder(in: directory)
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    let path = "\(folder)/\(number)\(DurableFile.draftSuffix)"
    try self.init(making: path, pastCache: durability == .full)
  }

  /// Makes a file that is not there yet.
  init(making path: String, pastCache: Bool = false) throws(JournalError) {
    draft = path
    isShared = Self.isShared(path)
    descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      pages = Mutex(nil)
      throw DurableFile.failure("make", draft)
    }
    pages = Mutex(pastCache ? LogPages.open(path) : nil)
  }

  /// Opens a segment that somebody else has written.
  init(opening path: String) throws(JournalError) {
    draft = path
    isShared = Self.isShared(path)
    pages = Mutex(nil)
    descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw DurableFile.failure("open", path) }
  }

  private static func isShared(_ path: String) -> Bool {
    FileSystemKind.isShared(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
  }

  deinit {
    // One that was not used has no other name.
    if draft.hasSuffix(DurableFile.draftSuffix), (try? isNamed(draft)) == true {
      let bytes = keptBytes.load(ordering: .relaxed)
      if bytes == 0 { unlink(draft) } else { ftruncate(descriptor, off_t(bytes)) }
    }
    close(descriptor)
  }

  /// Leaves the first bytes of the draft where they are, whatever happens.
  ///
  /// They say that nothing was written under its term. The next daemon that begins removes them.
  func keepDraft(_ bytes: Int) { keptBytes.store(bytes, ordering: .relaxed) }

  /// Whether the draft of a daemon that has sealed a segment is beside it: that daemon has not
  /// written anything.
  static func hasDraft(of term: UInt64, beside path: String) throws(JournalError) -> Bool {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    for name in try DurableFile.names(in: folder) where name.hasSuffix(DurableFile.draftSuffix) {
      let draft = "\(folder)/\(name)"
      if DurableFile.isOtherThanFile(draft) { continue }
      do throws(JournalError) {
        if try LogHeader(at: draft).term == term { return true }
      } catch {
        // One that was being filled has no header; one that was removed says nothing.
        guard [.corrupt, .missing].contains(error.code) else { throw error }
      }
    }
    return false
  }

  /// Writes bytes, which go on where the last ones end unless nothing but zeros is there.
  func write(_ bytes: [UInt8], at place: Int) throws(JournalError) {
    try pages.withLock { (pages) throws(JournalError) in
      guard pages != nil else { return try writeThrough(bytes[...], at: place) }
      let first = min(bytes.count, max(0, LogPages.pageBytes - place))
      try writeThrough(bytes[..<first], at: place)
      if first < bytes.count, try pages?.write(bytes[first...], at: place + first) == false {
        pages = nil
        try writeThrough(bytes[first...], at: place + first)
      }
    }
  }

  /// Fills a piece of the file with zeros; both ends are those of pages.
  ///
  /// Page by page through the cache, which keeps what comes together in one folio where a file
  /// system allows that: a sync writes all of a folio in which anything has changed.
  func fill(_ piece: Range<Int>) throws(JournalError) {
    try pages.withLock { (pages) throws(JournalError) in
      var start = pages == nil ? piece.upperBound : max(piece.lowerBound, LogPages.pageBytes)
      if start < piece.upperBound, try pages?.fill(start..<piece.upperBound) == false {
        pages = nil
        start = piece.upperBound
      }
      for place in stride(from: piece.lowerBound, to: start, by: LogPages.pageBytes) {
        let count = min(LogPages.pageBytes, piece.upperBound - place)
        try writeThrough(Self.page[..<count], at: place)
      }
    }
  }

  /// Whether everything goes through the page cache.
  var usesCache: Bool { pages.withLock { $0 == nil } }

  private static let page = [UInt8](repeating: 0, count: LogPages.pageBytes)

  /// Writes bytes to the page cache.
  private func writeThrough(_ bytes: ArraySlice<UInt8>, at place: Int) throws(JournalError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
        return pwrite(descriptor, rest.baseAddress, rest.count, off_t(place + written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw DurableFile.failure("write", draft) }
      written += count
    }
  }

  func sync() throws(JournalError) { try DurableFile.syncData(descriptor, draft) }

  func truncate(to count: Int) throws(JournalError) {
    guard ftruncate(descriptor, off_t(count)) == 0 else {
      throw DurableFile.failure("shorten", draft)
    }
  }

  /// The term of the daemon that has taken over; 0 for none.
  func seal() throws(JournalError) -> UInt64 {
    if isShared {
      let page = try UncachedRead.bytes(of: descriptor, draft, atMost: LogHeader.pageBytes)
      guard page.count >= LogHeader.sealRange.upperBound else {
        throw JournalError(.system, "Could not read the seal of \(draft): the file is too short.")
      }
      return LogHeader.number(page[LogHeader.sealRange])
    }
    var term: UInt64 = 0
    while true {
      let count = pread(descriptor, &term, 8, off_t(LogHeader.sealRange.lowerBound))
      if count == 8 { return UInt64(littleEndian: term) }
      guard count < 0, errno == EINTR else { throw DurableFile.failure("read", draft) }
    }
  }

  func seal(by term: UInt64) throws(JournalError) {
    try write(LogHeader.littleEndian(term, 8), at: LogHeader.sealRange.lowerBound)
    try sync()
  }

  /// Gives it a name that nothing has.
  func name(_ path: String) throws(JournalError) {
    // Opened before: where that fails there is no name, and it may be tried again.
    let folder = try DurableFile.Folder(of: path)
    // Unlike a rename a link takes nobody's place; some file systems know none.
    if link(draft, path) == 0 {
      // Where it keeps its first name as well, that goes, and nothing of the file.
      keepDraft(0)
      unlink(draft)
    } else if errno == EEXIST {
      // Another daemon writes under this term.
      keepDraft(0)
      throw JournalError(
        .busy,
        "Another daemon writes \(path). Stop one of the two, then start again.",
      )
    } else {
      guard rename(draft, path) == 0 else { throw DurableFile.failure("move", draft) }
      keepDraft(0)
    }
    try folder.sync()
  }

  /// Whether it is what a path leads to.
  ///
  /// - Throws: ``JournalError``, where that cannot be known now.
  func isNamed(_ path: String) throws(JournalError) -> Bool {
    try Self.identity(of: path) == identity()
  }

  /// Which file it is.
  func identity() throws(JournalError) -> String {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw DurableFile.failure("look at", draft) }
    return Self.identity(status)
  }

  private static func identity(_ status: stat) -> String { "\(status.st_dev).\(status.st_ino)" }

  /// Which file is at a path; nil where there is none.
  ///
  /// - Throws: ``JournalError``, where that cannot be known now.
  static func identity(of path: String) throws(JournalError) -> String? {
    var status = stat()
    if lstat(path, &status) == 0 { return identity(status) }
    guard errno == ENOENT else { throw DurableFile.unreadable("look at", path) }
    return nil
  }
}
