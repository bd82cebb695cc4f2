import Foundation
package import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Atomic and durable changes of files: after a crash a file exists as a whole or not at all.
package enum DurableFile {
  /// The suffix of a file that is being written.
  static let draftSuffix = ".new"
  /// The number of bytes of a large file that are written between two syncs: other files' syncs
  /// wait for all bytes that are on their way to the disk.
  static let bytesPerPiece = 256 << 10

  /// Writes a draft beside the path, readable for this user alone, syncs it, moves it to the path
  /// and syncs the directory.
  ///
  /// - Parameters:
  ///   - bytes: The file's first bytes.
  ///   - rest: The bytes after these.
  ///   - path: The file's path. An existing file is replaced.
  ///   - isSynced: Whether the file is to outlive a crash of the machine.
  ///   - isOutdated: Called just before the move; returns whether to drop the draft.
  /// - Returns: False if the draft was outdated; then the path is unchanged.
  /// - Throws: `JournalError`; then the path is unchanged, or the contents of the disk are unknown.
  @discardableResult
  package static func write(
    _ bytes: [UInt8],
    _ rest: [UInt8] = [],
    to path: String,
    isSynced: Bool = true,
    unless isOutdated: () -> Bool = { false },
  ) throws(JournalError) -> Bool {
    // The name is unique, and cannot be predicted.
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    let draft = "\(path).\(number)\(draftSuffix)"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open", draft) }
    var isKept = false
    defer {
      close(descriptor)
      // A draft that did not fit must not occupy the remaining room.
      if !isKept { unlink(draft) }
    }
    for part in [bytes, rest] {
      var written = 0
      while written < part.count {
        let count = part.withUnsafeBytes { systemWrite(descriptor, $0, from: written) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure("write", draft) }
        written += count
        if isSynced, written < part.count { try syncData(descriptor, draft) }
      }
    }
    // After a failed sync the contents of the disk are unknown, even if the disk reports that it is
    // full.
    guard !isSynced || syncAll(descriptor) else { throw failure("sync", draft, isKnown: false) }
    if isOutdated() { return false }
    guard rename(draft, path) == 0 else { throw failure("move", draft) }
    isKept = true
    if isSynced { try syncDirectory(of: path) }
    return true
  }

  /// Reads a file, which may be large, without a second copy of its bytes.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - most: The largest number of bytes to read, from its beginning.
  ///   - atEnd: Whether to read its last bytes instead.
  ///   - isShared: Whether another machine may write it, so that the page cache is bypassed.
  /// - Returns: The bytes, fewer if the file is shortened meanwhile; nil if there is no file.
  /// - Throws: ``JournalError`` if a file exists and cannot be read now. Its bytes may be intact.
  static func read(
    _ path: String,
    atMost most: Int = .max,
    atEnd: Bool = false,
    isShared: Bool = false,
  ) throws(JournalError) -> [UInt8]? {
    // Opening a fifo would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw unreadable("open", path)
    }
    defer { close(descriptor) }
    let all = try self.size(descriptor, path)
    let size = min(most, all)
    if atEnd, lseek(descriptor, off_t(all - size), SEEK_SET) < 0 {
      throw unreadable("read", path)
    }
    guard UInt64(size) <= ProcessInfo.processInfo.physicalMemory else {
      throw JournalError(
        .unreadable,
        "Could not read \(path): it has \(size) bytes, more than this machine's memory. Use a "
          + "machine with more memory.",
      )
    }
    if isShared { return try UncachedRead.bytes(of: descriptor, path, atMost: most) }
    var failure: JournalError?
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, length in
      while length < size {
        let count = systemRead(descriptor, UnsafeMutableRawBufferPointer(buffer), from: length)
        if count < 0, errno == EINTR { continue }
        if count < 0 { failure = unreadable("read", path) }
        guard count > 0 else { return }
        length += count
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Returns the number of bytes of a file; nil if there is no file.
  static func size(of path: String) throws(JournalError) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw unreadable("look at", path)
    }
    return Int(status.st_size)
  }

  private static func size(_ descriptor: Int32, _ path: String) throws(JournalError) -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable("look at", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw JournalError(
        .unreadable,
        "Could not read \(path): it is not a regular file. Remove it, or put the file back.",
      )
    }
    return Int(status.st_size)
  }

  /// Moves a synced draft to its path, and syncs the directory.
  static func publish(_ draft: String, as path: String) throws(JournalError) {
    guard rename(draft, path) == 0 else { throw failure("move", draft) }
    try syncDirectory(of: path)
  }

  static func syncDirectory(of path: String) throws(JournalError) {
    try Folder(of: path).sync()
  }

  /// Creates an empty file that reserves room.
  ///
  /// - Returns: Whether there was room.
  static func reserve(_ bytes: Int, at path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    #if canImport(Glibc)
    let isReserved = posix_fallocate(descriptor, 0, off_t(bytes)) == 0
    #else
    let isReserved = ftruncate(descriptor, off_t(bytes)) == 0
    #endif
    if !isReserved { unlink(path) }
    return isReserved
  }

  /// Syncs the bytes of an open file, and the metadata that a reader needs.
  static func syncData(_ descriptor: Int32, _ path: String) throws(JournalError) {
    #if canImport(Darwin)
    let isSynced = syncAll(descriptor)
    #else
    let isSynced = fdatasync(descriptor) == 0
    #endif
    guard isSynced else { throw failure("sync", path, isKnown: false) }
  }

  /// Syncs a file or a directory with all of its metadata.
  private static func syncAll(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    // Darwin's fsync leaves the bytes in the disk's own cache.
    if fcntl(descriptor, F_FULLFSYNC) != -1 { return true }
    guard [ENOTSUP, ENOTTY, EINVAL].contains(errno) else { return false }
    lacksFlush.store(true, ordering: .relaxed)
    #endif
    return fsync(descriptor) == 0
  }

  /// Whether a file system that cannot flush the disk's own cache was found.
  ///
  /// On such a system a synced write may not survive a crash of the machine.
  package static let lacksFlush = Atomic(false)

  /// Syncs the bytes that were read from a file of another writer.
  ///
  /// On a read-only file system there is no write to sync.
  static func syncWhatIsRead(_ path: String) throws(JournalError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", path) }
    defer { close(descriptor) }
    do throws(JournalError) {
      try syncData(descriptor, path)
    } catch {
      guard errno == EROFS || errno == EINVAL else { throw error }
    }
  }

  /// Creates a directory for this user alone, if there is no directory.
  static func makeDirectory(_ path: String) throws(JournalError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
  }

  /// Returns the names in a directory; empty if there is no directory.
  static func names(in directory: String) throws(JournalError) -> [String] {
    guard let stream = opendir(directory) else {
      if errno == ENOENT { return [] }
      throw unreadable("list", directory)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      // Only this number distinguishes the end of a listing from a failure.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw unreadable("list", directory) }
    return names
  }

  /// Returns whether a path leads to a file, directory or other object.
  static func exists(_ path: String) throws(JournalError) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return true }
    guard errno == ENOENT else { throw unreadable("look at", path) }
    return false
  }

  /// Returns whether a path leads to something that is not a regular file: a directory, pipe
  /// or link.
  static func isOtherThanFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Returns whether a path is a link.
  static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Removes a file.
  static func remove(_ path: String) throws(JournalError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
  }

  /// Syncs the names in a directory.
  static func syncDirectory(_ directory: String) throws(JournalError) {
    try Folder(directory).sync()
  }

  /// Syncs the parents of a directory, so that the names of new ones are on the disk.
  ///
  /// A directory that this user may not read is skipped: it contains no name that this
  /// program made.
  static func syncWay(to directory: String) throws(JournalError) {
    var path = directory.hasPrefix("/") ? directory : "./\(directory)"
    while let end = path.lastIndex(of: "/") {
      try syncIfReadable(end == path.startIndex ? "/" : String(path[..<end]))
      path = String(path[..<end])
    }
  }

  private static func syncIfReadable(_ directory: String) throws(JournalError) {
    guard access(directory, R_OK) == 0 || ![EACCES, EPERM].contains(errno) else { return }
    do throws(JournalError) {
      try Folder(directory).sync()
    } catch {
      // A directory that cannot be written has no new names.
      guard [EACCES, EPERM, EROFS, EINVAL].contains(errno) else { throw error }
    }
  }

  /// An open directory.
  struct Folder: ~Copyable {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(JournalError) {
      self.path = path
      descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw failure("open", path) }
    }

    /// Opens the directory of a file.
    init(of path: String) throws(JournalError) {
      let slash = path.lastIndex(of: "/")
      let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
      try self.init(folder ?? ".")
    }

    deinit { close(descriptor) }

    /// Syncs the names in the directory.
    func sync() throws(JournalError) {
      guard syncAll(descriptor) else { throw failure("sync", path, isKnown: false) }
    }
  }

  /// Returns the error for a read that failed, which leaves the state of the file unknown.
  static func unreadable(_ what: String, _ path: String) -> JournalError {
    let isBusy = errno == EMFILE || errno == ENFILE
    let reason = String(cString: strerror(errno))
    return JournalError(
      isBusy ? .busy : .unreadable,
      "Could not \(what) \(path): \(reason).",
      remedy:
        "Nothing was changed. The bytes on the disk may be intact. Correct the cause, then start "
        + "again.",
    )
  }

  static func failure(_ what: String, _ path: String, isKnown: Bool = true) -> JournalError {
    let (code, reason): (JournalError.Code, String) =
      switch errno {
      case ENOSPC where isKnown: (.full, "the disk is full")
      case EDQUOT where isKnown: (.full, "the quota of the disk is used up")
      case EFBIG where isKnown:
        (.full, "the process may not write larger files (ulimit -f, LimitFSIZE)")
      case EMFILE where isKnown, ENFILE where isKnown: (.busy, String(cString: strerror(errno)))
      default: (.system, String(cString: strerror(errno)))
      }
    return JournalError(code, "Could not \(what) \(path): \(reason).")
  }
}

/// Writes the remaining bytes, at most one piece, and as many as the system takes in one call.
private func systemWrite(
  _ descriptor: Int32,
  _ bytes: UnsafeRawBufferPointer,
  from start: Int,
) -> Int {
  let rest = UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(DurableFile.bytesPerPiece))
  return write(descriptor, rest.baseAddress, rest.count)
}

/// Reads the remaining bytes, as many as the system returns in one call.
private func systemRead(
  _ descriptor: Int32,
  _ bytes: UnsafeMutableRawBufferPointer,
  from start: Int,
) -> Int {
  let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
  return read(descriptor, rest.baseAddress, rest.count)
}
