import Foundation
package import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Files that are there as a whole or not at all, whatever happens to the machine.
package enum DurableFile {
  /// What the name of a file ends with that is being written.
  static let draftSuffix = ".new"
  /// How much of a large file is written at once: a sync of others waits for as much as is on its
  /// way to the disk.
  static let bytesPerPiece = 256 << 10

  /// Writes a file beside its place, for this user alone, syncs it, moves it there and syncs the
  /// directory.
  ///
  /// - Parameters:
  ///   - bytes: What it is to have.
  ///   - rest: What it is to have behind that.
  ///   - path: Its place, where another file may be.
  ///   - isOutdated: Is asked at the last moment whether it should not be moved there any more.
  /// - Returns: False when it was outdated; then its place is as it was.
  /// - Throws: `JournalError`; then its place is as it was, or nobody knows what the disk holds.
  @discardableResult
  package static func write(
    _ bytes: [UInt8],
    _ rest: [UInt8] = [],
    to path: String,
    unless isOutdated: () -> Bool = { false },
  ) throws(JournalError) -> Bool {
    // A name that nobody has, and nobody knows beforehand.
    let number = String(UInt64.random(in: 0 ... .max), radix: 36)
    let draft = "\(path).\(number)\(draftSuffix)"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open", draft) }
    var isKept = false
    defer {
      close(descriptor)
      // A draft for which there was no room must not take what there is.
      if !isKept { unlink(draft) }
    }
    for part in [bytes, rest] {
      var written = 0
      while written < part.count {
        let count = part.withUnsafeBytes { systemWrite(descriptor, $0, from: written) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure("write", draft) }
        written += count
        if written < part.count { try syncData(descriptor, draft) }
      }
    }
    // After a failed sync nobody knows what the disk holds, also where it says that it is full.
    guard syncAll(descriptor) else { throw failure("sync", draft, isKnown: false) }
    if isOutdated() { return false }
    guard rename(draft, path) == 0 else { throw failure("move", draft) }
    isKept = true
    try syncDirectory(of: path)
    return true
  }

  /// Reads all of a file, which may be large: nothing of it is copied twice.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - most: How many bytes are read of it, from its beginning.
  ///   - atEnd: Whether these are its last bytes.
  ///   - isShared: Whether another machine may write it, so that the page cache is not asked.
  /// - Returns: The bytes, fewer where it gets shorter meanwhile; nil where there is no file.
  /// - Throws: ``JournalError``, where there is a file that cannot be read now. That says nothing
  ///   about its bytes.
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

  /// The number of bytes of a file; nil where there is no file.
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

  /// Moves what is synced to its place, and syncs the directory that it is in.
  static func publish(_ draft: String, as path: String) throws(JournalError) {
    guard rename(draft, path) == 0 else { throw failure("move", draft) }
    try syncDirectory(of: path)
  }

  static func syncDirectory(of path: String) throws(JournalError) {
    try Folder(of: path).sync()
  }

  /// Makes a file that takes room and has nothing in it.
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

  /// Syncs the bytes of a file that is open, and what else is needed to find them again.
  static func syncData(_ descriptor: Int32, _ path: String) throws(JournalError) {
    #if canImport(Darwin)
    let isSynced = syncAll(descriptor)
    #else
    let isSynced = fdatasync(descriptor) == 0
    #endif
    guard isSynced else { throw failure("sync", path, isKnown: false) }
  }

  /// Syncs a file or a directory, with everything that belongs to it.
  private static func syncAll(_ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
    // Darwin's fsync leaves the bytes in the disk's own cache.
    if fcntl(descriptor, F_FULLFSYNC) != -1 { return true }
    guard [ENOTSUP, ENOTTY, EINVAL].contains(errno) else { return false }
    lacksFlush.store(true, ordering: .relaxed)
    #endif
    return fsync(descriptor) == 0
  }

  /// Whether a file system was met that cannot flush the disk's own cache, so that a sync leaves
  /// open what the end of the machine takes.
  package static let lacksFlush = Atomic(false)

  /// Syncs what was read of a file that somebody else writes.
  ///
  /// Where nobody can write there is nothing to be synced.
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

  /// Makes a directory for this user alone, unless there is one.
  static func makeDirectory(_ path: String) throws(JournalError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
  }

  /// The names of what a directory has; none where there is no directory.
  static func names(in directory: String) throws(JournalError) -> [String] {
    guard let stream = opendir(directory) else {
      if errno == ENOENT { return [] }
      throw unreadable("list", directory)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      // The end of a listing and a failure differ in this number alone.
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

  /// Whether a path leads to something.
  static func exists(_ path: String) throws(JournalError) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return true }
    guard errno == ENOENT else { throw unreadable("look at", path) }
    return false
  }

  /// Whether a path leads to something that is no file of ours: a directory, a pipe, a link.
  static func isOtherThanFile(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Removes a file.
  static func remove(_ path: String) throws(JournalError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
  }

  /// Syncs what a directory has.
  static func syncDirectory(_ directory: String) throws(JournalError) {
    try Folder(directory).sync()
  }

  /// Syncs the directories that lead to one: where some of them are new, their names are on the
  /// disk from then on.
  ///
  /// One that this user may not read has no name of ours.
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
      // Where nothing can be written there is nothing new.
      guard [EACCES, EPERM, EROFS, EINVAL].contains(errno) else { throw error }
    }
  }

  /// A directory that is open.
  struct Folder: ~Copyable {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(JournalError) {
      self.path = path
      descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { throw failure("open", path) }
    }

    /// The one that a file is in.
    init(of path: String) throws(JournalError) {
      let slash = path.lastIndex(of: "/")
      let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
      try self.init(folder ?? ".")
    }

    deinit { close(descriptor) }

    /// Syncs what it has.
    func sync() throws(JournalError) {
      guard syncAll(descriptor) else { throw failure("sync", path, isKnown: false) }
    }
  }

  /// What to say where something could not be read, so that nothing is known of it.
  static func unreadable(_ what: String, _ path: String) -> JournalError {
    let isBusy = errno == EMFILE || errno == ENFILE
    let reason = String(cString: strerror(errno))
    return JournalError(
      isBusy ? .busy : .unreadable,
      "Could not \(what) \(path): \(reason). Nothing was changed, and this says nothing of the "
        + "bytes on the disk. Correct the cause, then start again.",
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

/// Writes what is left of some bytes, a piece at most, and as much as the system takes at once.
private func systemWrite(
  _ descriptor: Int32,
  _ bytes: UnsafeRawBufferPointer,
  from start: Int,
) -> Int {
  let rest = UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(DurableFile.bytesPerPiece))
  return write(descriptor, rest.baseAddress, rest.count)
}

/// Reads what is left to be read, as much as the system has at once.
private func systemRead(
  _ descriptor: Int32,
  _ bytes: UnsafeMutableRawBufferPointer,
  from start: Int,
) -> Int {
  let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
  return read(descriptor, rest.baseAddress, rest.count)
}
