import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The kind of file system that a directory is in, as the system names it.
enum FileSystemKind {
  /// Whether a file system keeps its files in memory only, so that no sync makes them last.
  ///
  /// - Parameter path: A directory that exists.
  /// - Returns: False also where the system does not say what kind it is.
  static func isInMemory(_ path: String) -> Bool {
    #if os(Linux)
    return name(of: path).map { ["tmpfs", "ramfs"].contains($0) } ?? false
    #else
    return false
    #endif
  }

  /// Whether another machine may write a file system, so that this machine's page cache may hold
  /// bytes that are no longer on the disk.
  ///
  /// - Parameter path: A directory that exists.
  /// - Returns: True for every kind that is not known to be local; false where the system does not
  ///   say what kind it is.
  static func isShared(_ path: String) -> Bool {
    #if os(Linux)
    return name(of: path).map { !localNames.contains($0) } ?? false
    #else
    var status = statfs()
    return statfs(path, &status) == 0 && status.f_flags & UInt32(bitPattern: MNT_LOCAL) == 0
    #endif
  }

  /// The kinds that one machine has to itself.
  static let localNames: Set<String> = [
    "bcachefs", "btrfs", "ecryptfs", "erofs", "exfat", "ext2", "ext3", "ext4", "f2fs", "hfsplus",
    "jfs", "nilfs2", "ntfs", "ntfs3", "overlay", "ramfs", "reiserfs", "rootfs", "squashfs",
    "tmpfs", "ubifs", "udf", "vfat", "xfs", "zfs",
  ]

  private static func name(of path: String) -> String? {
    guard let mounts = FileManager.default.contents(atPath: "/proc/self/mountinfo"),
      let real = realpath(path, nil)
    else { return nil }
    defer { free(real) }
    return name(of: String(cString: real), in: String(decoding: mounts, as: UTF8.self))
  }

  /// The kind of the file system that a path is in.
  ///
  /// - Parameters:
  ///   - path: An absolute path without links.
  ///   - mounts: The text of `/proc/self/mountinfo`.
  /// - Returns: Nil where no mount has the path.
  static func name(of path: String, in mounts: String) -> String? {
    var (found, length) = (String?.none, 0)
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 4 else { continue }
      let point = unescaped(fields[4])
      let isBelow = point == "/" || path == point || path.hasPrefix(point + "/")
      // Of two at one place the later one covers the earlier one.
      guard isBelow, point.utf8.count >= length else { continue }
      // The kind follows a lone hyphen, before which there is any number of fields.
      found = fields.drop { $0 != "-" }.dropFirst().first.map(String.init)
      length = point.utf8.count
    }
    return found
  }

  /// A path in which a space, for example, is a backslash and three octal digits.
  private static func unescaped(_ field: Substring) -> String {
    var (bytes, rest) = ([UInt8](), Array(field.utf8)[...])
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest.removeFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
