import StoreReplication

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A daemon's directory: private to its user, and locked for as long as the daemon runs.
///
/// The lock matters, because binding a second time to a live socket's path succeeds and takes
/// over the clients that come.
final class StoreDirectory {
  let path: String
  private let descriptor: Int32

  /// Makes the directory if need be, checks that it is private, and locks it.
  init(_ path: String) throws(HostError) {
    self.path = path
    try Self.make(path)
    try Self.checkPrivate(path)
    descriptor = try Self.lock("\(path)/lock", directory: path)
  }

  deinit { close(descriptor) }

  private static func make(_ path: String) throws(HostError) {
    var partial = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      partial += "/\(part)"
      if mkdir(partial, 0o700) != 0, errno != EEXIST, errno != EISDIR {
        throw HostError(
          .cannotCreate,
          "The directory \(partial) could not be made: \(systemMessage()).",
          remedy: "Make it yourself, or name another with --dir.",
        )
      }
    }
  }

  private static func checkPrivate(_ path: String) throws(HostError) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw HostError(
        .cannotCreate,
        "\(path) is not a directory.",
        remedy: "Name another one with --dir.",
      )
    }
    guard status.st_uid == geteuid() else {
      throw HostError(
        .notAllowed,
        "The directory \(path) belongs to user \(status.st_uid), not to us.",
        remedy: "Name a directory of your own with --dir.",
      )
    }
    let mode = String(status.st_mode & 0o777, radix: 8)
    guard status.st_mode & 0o022 == 0 else {
      throw HostError(
        .notAllowed,
        "Others can write to the directory \(path) (mode \(mode)).",
        remedy: "Run: chmod 700 \(path)",
      )
    }
    // Others must not even connect: what is published is for one user.
    guard status.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0 else {
      throw HostError(
        .notAllowed,
        "The directory \(path) could not be closed to others: \(systemMessage()).",
        remedy: "Run: chmod 700 \(path)",
      )
    }
  }

  private static func lock(_ file: String, directory: String) throws(HostError) -> Int32 {
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw HostError(
        .cannotCreate,
        "The lock \(file) could not be opened: \(systemMessage()).",
        remedy: "Check the directory's owner and the disk.",
      )
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let pid = owner(descriptor)
      close(descriptor)
      throw HostError(
        .alreadyRunning,
        "A daemon with pid \(pid) serves the directory \(directory) already.",
        remedy: "Use it, stop it with: kill \(pid), or name another directory with --dir.",
      )
    }
    let text = Array("\(getpid())\n".utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count
    else {
      close(descriptor)
      throw HostError(
        .cannotCreate,
        "The lock \(file) could not be written: \(systemMessage()).",
        remedy: "Check that the disk is not full.",
      )
    }
    return descriptor
  }

  /// The pid in a lock that somebody else holds.
  private static func owner(_ descriptor: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    let digits = buffer.prefix(max(0, count)).prefix { $0 >= 0x30 && $0 <= 0x39 }
    return digits.isEmpty ? "unknown" : String(decoding: digits, as: UTF8.self)
  }

  static func systemMessage() -> String { String(cString: strerror(errno)) }
}
