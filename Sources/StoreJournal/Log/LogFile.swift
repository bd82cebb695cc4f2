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

  /// Makes a file that nobody knows yet.
  convenience init(in directory: String) throws(JournalError) {
    let folder = LogSegment.folder(in: directory)
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    try self.init(making: "\(folder)/\(number)\(DurableFile.draftSuffix)")
  }

  /// Makes a file that is not there yet.
  init(making path: String) throws(JournalError) {
    draft = path
    descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DurableFile.failure("make", draft) }
  }

  /// Opens a segment that somebody else has written.
  init(opening path: String) throws(JournalError) {
    draft = path
    descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw DurableFile.failure("open", path) }
  }

  deinit {
    close(descriptor)
    // One that was not used has no other name.
    if draft.hasSuffix(DurableFile.draftSuffix) { unlink(draft) }
  }

  func write(_ bytes: [UInt8], at place: Int) throws(JournalError) {
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
    var term: UInt64 = 0
    guard pread(descriptor, &term, 8, off_t(LogHeader.sealRange.lowerBound)) == 8 else {
      throw DurableFile.failure("read", draft)
    }
    return UInt64(littleEndian: term)
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
      unlink(draft)
    } else if errno == EEXIST {
      throw JournalError(
        .busy,
        "Another daemon writes \(path). Stop one of the two, then start again.",
      )
    } else {
      guard rename(draft, path) == 0 else { throw DurableFile.failure("move", draft) }
    }
    try folder.sync()
  }

  /// Whether it is what a path leads to.
  func isNamed(_ path: String) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && Self.identity(of: path) == Self.identity(status)
  }

  /// Which file it is.
  func identity() throws(JournalError) -> String {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw DurableFile.failure("look at", draft) }
    return Self.identity(status)
  }

  private static func identity(_ status: stat) -> String { "\(status.st_dev).\(status.st_ino)" }

  /// Which file is at a path; nil where there is none.
  static func identity(of path: String) -> String? {
    var status = stat()
    return lstat(path, &status) == 0 ? identity(status) : nil
  }
}
