#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads past this machine's page cache, in file systems that another machine may write.
///
/// A file that stays open there may be read from the cache for ever. On NFS and CIFS it would be
/// enough to open it again; a file system in user space may keep its pages even then.
enum UncachedRead {
  private static let pieceBytes = 1 << 20

  /// Linux's `O_DIRECT`, which its module for Swift leaves out; nil where there is none.
  static var flag: Int32? {
    #if os(Linux) && arch(x86_64)
    0o40_000
    #elseif os(Linux) && arch(arm64)
    0o200_000
    #else
    nil
    #endif
  }

  /// Reads the first bytes of a file that is open.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - path: Its path, for messages.
  ///   - most: How many bytes are read.
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
    // A file system may refuse the flag, or take it and refuse to read that way: then the file is
    // opened again at least.
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

  /// Reads the first bytes of a file into memory that is aligned as disks want it.
  ///
  /// - Returns: Nil where the file system does not read it that way.
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
        // The end, where it is not aligned; or a read that has brought less than there is.
        if bytes.count >= (try DurableFile.size(of: name) ?? 0) { break }
      }
      guard count >= 0 else { throw DurableFile.unreadable("read", path) }
      if count == 0 { break }
      bytes += memory[..<min(count, most - bytes.count)]
    }
    return bytes
  }
}
