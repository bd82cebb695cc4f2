import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A segment's file, open for writing.
final class LogFile: Sendable {
  private let descriptor: Int32
  /// The file's first path, under which errors name it.
  private let draft: String
  /// Writes all but the first page; nil if all writes use the page cache.
  ///
  /// The first page contains the seal, which other daemons write. A file system may accept the
  /// direct flag and still fail the first write, and all later writes through that descriptor; a
  /// file system in user space that passes the flag on does that. Writes then use the
  /// other descriptor.
  private let pages: Mutex<LogPages?>
  /// The number of bytes of an unnamed draft that remain after `deinit`; 0 to remove the draft.
  private let keptBytes = Atomic(0)
  /// Whether another machine may write the file; its seal is then read past the page cache.
  private let isShared: Bool

  /// Creates a draft under a random name.
  ///
  /// - Parameters:
  ///   - directory: The journal's directory.
  ///   - durability: The promise for written entries. With `full` each entry is synced, and writes
  ///     bypass the page cache.
  /// - Throws: ``JournalError``.
  convenience init(in directory: String, _ durability: Durability) throws(JournalError) {
    let folder = LogSegment.folder(in: directory)
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    let path = "\(folder)/\(number)\(DurableFile.draftSuffix)"
    try self.init(making: path, pastCache: durability == .full)
  }

  /// Creates a file that must not exist.
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

  /// Opens a segment that another program has written.
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
    // An unused draft has no other name.
    if draft.hasSuffix(DurableFile.draftSuffix), (try? isNamed(draft)) == true {
      let bytes = keptBytes.load(ordering: .relaxed)
      if bytes == 0 { unlink(draft) } else { ftruncate(descriptor, off_t(bytes)) }
    }
    close(descriptor)
  }

  /// Keeps the first bytes of the draft at its path, even after a failure.
  ///
  /// They prove that no entry was written under its term. The next daemon that begins removes them.
  func keepDraft(_ bytes: Int) { keptBytes.store(bytes, ordering: .relaxed) }

  /// Returns whether the draft of a sealing daemon is beside a segment: that daemon has not written
  /// an entry.
  static func hasDraft(of term: UInt64, beside path: String) throws(JournalError) -> Bool {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    for name in try DurableFile.names(in: folder) where name.hasSuffix(DurableFile.draftSuffix) {
      let draft = "\(folder)/\(name)"
      if DurableFile.isOtherThanFile(draft) { continue }
      do throws(JournalError) {
        if try LogHeader(at: draft).term == term { return true }
      } catch {
        // A draft that was being filled has no header. A removed draft does not count.
        guard [.corrupt, .missing].contains(error.code) else { throw error }
      }
    }
    return false
  }

  /// Writes bytes directly after the last ones, or anywhere in the part that has only zeros.
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

  /// Fills a range of whole pages with zeros.
  ///
  /// Through the cache it writes one page at a time. Larger writes may share one folio on some file
  /// systems, and a sync writes the whole folio if any part of it has changed.
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

  /// Whether all writes use the page cache.
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

  /// Returns the term of the daemon that has taken over; 0 if there is no seal.
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

  /// Gives the file a path that must be free.
  func name(_ path: String) throws(JournalError) {
    // The folder is opened first: if that fails, the file has no name, and the caller may retry.
    let folder = try DurableFile.Folder(of: path)
    // Unlike a rename a link never replaces a file; some file systems do not support links.
    if link(draft, path) == 0 {
      // The draft's name may remain. Removing it keeps the file.
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

  /// Returns whether a path leads to this file.
  ///
  /// - Throws: ``JournalError`` if that is unknown now.
  func isNamed(_ path: String) throws(JournalError) -> Bool {
    try Self.identity(of: path) == identity()
  }

  /// Returns a text that identifies the file.
  func identity() throws(JournalError) -> String {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw DurableFile.failure("look at", draft) }
    return Self.identity(status)
  }

  private static func identity(_ status: stat) -> String { "\(status.st_dev).\(status.st_ino)" }

  /// Returns the identity of the file at a path; nil if there is no file.
  ///
  /// - Throws: ``JournalError`` if that is unknown now.
  static func identity(of path: String) throws(JournalError) -> String? {
    var status = stat()
    if lstat(path, &status) == 0 { return identity(status) }
    guard errno == ENOENT else { throw DurableFile.unreadable("look at", path) }
    return nil
  }
}
