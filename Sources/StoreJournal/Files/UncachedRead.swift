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
    let uncached = try open(own, for: path)
    defer { close(uncached) }
    return try read(uncached, path, atMost: most)
  }

  /// Opens a file that is there, past the cache where the file system can do that.
  static func open(_ name: String, for path: String) throws(JournalError) -> Int32 {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
    if let flag {
      let descriptor = systemOpen(name, flags | flag)
      if descriptor >= 0 || errno != EINVAL {
        guard descriptor >= 0 else { throw DurableFile.unreadable("open", path) }
        return descriptor
      }
    }
    let descriptor = systemOpen(name, flags)
    guard descriptor >= 0 else { throw DurableFile.unreadable("open", path) }
    #if canImport(Darwin)
    _ = fcntl(descriptor, F_NOCACHE, 1)
    #endif
    return descriptor
  }

  /// Reads the first bytes of a file into memory that is aligned as disks want it.
  static func read(
    _ descriptor: Int32,
    _ path: String,
    atMost most: Int,
  ) throws(JournalError) -> [UInt8] {
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
      guard count >= 0 else { throw DurableFile.unreadable("read", path) }
      bytes += memory[..<min(count, most - bytes.count)]
      // Less than was asked for is the end: what follows would not be aligned.
      if count < memory.count { break }
    }
    return bytes
  }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }
