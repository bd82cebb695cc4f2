#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads past this machine's page cache, in file systems that another machine may write.
///
/// On such file systems an open file may be served from the cache forever. On NFS and CIFS
/// reopening it is enough; a file system in user space may keep cached pages even then.
enum UncachedRead {
  private static let pieceBytes = 1 << 20

  /// Linux's `O_DIRECT`, which its module for Swift omits; nil on other systems.
  static var flag: Int32? {
    #if os(Linux) && arch(x86_64)
    0o40_000
    #elseif os(Linux) && arch(arm64)
    0o200_000
    #else
    nil
    #endif
  }

  /// Reads the first bytes of an open file.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - path: Its path, for messages.
  ///   - most: The largest number of bytes to read.
  /// - Returns: The bytes, fewer if the file is shorter.
  /// - Throws: ``JournalError``.
  static func bytes(
    of descriptor: Int32,
    _ path: String,
    atMost most: Int,
  ) throws(JournalError) -> [UInt8] {
    #if os(Linux)
    let own = "/proc/self/fd/\(descriptor)"
    #else
    let own = "/dev/fd/\(descriptor)"
    #endif
    // A file system may refuse the flag, or accept it and then refuse reads. The file is then
    // reopened without it.
    if let flag, let bytes = try read(own, flag, path, atMost: most) { return bytes }
    if let bytes = try read(own, 0, path, atMost: most) { return bytes }
    throw DurableFile.unreadable("read", path)
  }

  private static func withoutProcesses(_ path: String) -> JournalError {
    JournalError(
      .unreadable,
      "Could not read \(path) past the page cache, as it has to be in a file system that is not "
        + "known to be local: /proc is not mounted. Mount it, or use a directory on a local disk.",
    )
  }

  /// Reads the first bytes of a file into memory with the alignment that disks require.
  ///
  /// - Returns: Nil if the file system refuses the flag.
  private static func read(
    _ name: String,
    _ flag: Int32,
    _ path: String,
    atMost most: Int,
  ) throws(JournalError) -> [UInt8]? {
    let descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flag)
    guard descriptor >= 0 else {
      if errno == EINVAL { return nil }
      if errno == ENOENT { throw withoutProcesses(path) }
      throw DurableFile.unreadable("open", path)
    }
    defer { close(descriptor) }
    #if canImport(Darwin)
    _ = fcntl(descriptor, F_NOCACHE, 1)
    #endif
    let page = LogHeader.pageBytes
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: (min(pieceBytes, most) + page - 1) / page * page,
      alignment: page,
    )
    defer { memory.deallocate() }
    var bytes: [UInt8] = []
    while bytes.count < most {
      let count = pread(descriptor, memory.baseAddress, memory.count, off_t(bytes.count))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EINVAL {
        if bytes.isEmpty { return nil }
        // An unaligned end of the file, or a short read.
        if bytes.count >= (try DurableFile.size(of: name) ?? 0) { break }
      }
      guard count >= 0 else { throw DurableFile.unreadable("read", path) }
      if count == 0 { break }
      bytes += memory[..<min(count, most - bytes.count)]
    }
    return bytes
  }
}
