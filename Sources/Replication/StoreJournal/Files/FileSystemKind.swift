#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The kind of a directory's file system, as the system reports it.
enum FileSystemKind {
  /// Whether a file system keeps its files in memory only, so that no sync makes them last.
  ///
  /// - Parameter path: A directory that exists.
  /// - Returns: False if the system does not report the kind.
  static func isInMemory(_ path: String) -> Bool {
    #if os(Linux)
    return number(of: path).map { inMemory.contains($0) } ?? false
    #else
    return false
    #endif
  }

  /// Whether another machine may write a file system, so that this machine's page cache may hold
  /// bytes that are no longer on the disk.
  ///
  /// - Parameter path: A directory that exists.
  /// - Returns: True for every kind that is not known to be local, and if the system does not
  ///   report the kind.
  static func isShared(_ path: String) -> Bool {
    #if os(Linux)
    return number(of: path).map { !isLocal($0) } ?? true
    #else
    var status = statfs()
    return statfs(path, &status) != 0 || status.f_flags & UInt32(bitPattern: MNT_LOCAL) == 0
    #endif
  }

  /// Whether a change of a file's bytes needs no new room on a file system, so that changes of
  /// mapped memory cannot fail because the disk is full.
  ///
  /// - Parameter path: A directory that exists.
  /// - Returns: False if the system does not report the kind.
  static func writesInPlace(_ path: String) -> Bool {
    #if os(Linux)
    return number(of: path).map { inMemory.contains($0) || inPlace.contains($0) } ?? false
    #else
    return !isShared(path)
    #endif
  }

  #if os(Linux)
  /// ext2 to ext4, xfs, and overlay, whose new files are on such a file system as a rule.
  private static let inPlace: Set<UInt32> = [0xef53, 0x5846_5342, 0x794c_7630]

  /// Returns whether file systems with a Linux magic number belong to one machine.
  static func isLocal(_ number: UInt32) -> Bool {
    inMemory.contains(number) || onDisk.contains(number)
  }

  /// tmpfs and ramfs.
  private static let inMemory: Set<UInt32> = [0x0102_1994, 0x8584_58f6]

  /// The numbers in Linux' `magic.h`, and those that file systems define themselves.
  private static let onDisk: Set<UInt32> = [
    0xef53,  // ext2, ext3, ext4
    0x5846_5342,  // xfs
    0x9123_683e,  // btrfs
    0x2fc1_2fc1,  // zfs
    0xf2f5_2010,  // f2fs
    0xca45_1a4e,  // bcachefs
    0x794c_7630,  // overlay
    0x3153_464a,  // jfs
    0x5265_4973,  // reiserfs
    0x3434,  // nilfs2
    0x2405_1905,  // ubifs
    0xf15f,  // ecryptfs
    0x4d44,  // vfat
    0x2011_bab0,  // exfat
    0x5346_544e,  // ntfs
    0x7366_746e,  // ntfs3
    0x482b,  // hfsplus
    0x1501_3346,  // udf
    0x7371_7368,  // squashfs
    0xe0f5_e1e2,  // erofs
  ]

  private static func number(of path: String) -> UInt32? {
    typealias Look = @convention(c) (UnsafePointer<CChar>, UnsafeMutableRawPointer) -> Int32
    guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "statfs") else { return nil }
    // Swift's module of the C library omits this function; its type is that of POSIX systems.
    let look = unsafeBitCast(symbol, to: Look.self)
    // The structure has 120 bytes or fewer, and begins with the number, in a word.
    return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { buffer in
      guard let status = buffer.baseAddress, look(path, status) == 0 else { return nil }
      return UInt32(truncatingIfNeeded: status.load(as: Int.self))
    }
  }
  #endif
}
