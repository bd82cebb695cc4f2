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
    var status = stat()
    guard stat(path, &status) == 0,
      let mounts = FileManager.default.contents(atPath: "/proc/self/mountinfo")
    else { return false }
    let name = name(of: status.st_dev, in: String(decoding: mounts, as: UTF8.self))
    return name == "tmpfs" || name == "ramfs"
    #else
    return false
    #endif
  }

  /// The kind of a device in the text of `/proc/self/mountinfo`; nil where it has none.
  static func name(of device: UInt, in mounts: String) -> String? {
    let major = (device >> 8 & 0xfff) | (device >> 32 & ~0xfff)
    let minor = (device & 0xff) | (device >> 12 & ~0xff)
    let number = "\(major):\(minor)"
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 2, fields[2] == number else { continue }
      // The kind follows a lone hyphen, before which there is any number of fields.
      return fields.drop { $0 != "-" }.dropFirst().first.map(String.init)
    }
    return nil
  }
}
