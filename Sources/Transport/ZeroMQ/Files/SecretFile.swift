#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A small file that only its user may read.
package enum SecretFile {
  /// The maximum size of a secret, in bytes.
  private static let mostBytes = 4096

  /// Reads a secret.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - trusted: A user that may own the file, besides this user and root.
  /// - Returns: Its bytes.
  /// - Throws: `TrustedFile.Problem`, also if other users can read the file.
  package static func read(
    _ path: String,
    trusting trusted: UInt32? = nil,
  ) throws(TrustedFile.Problem) -> [UInt8] {
    try TrustedFile.read(path, .secret, most: mostBytes, trusting: trusted)
  }

  /// Keeps a secret in a new file for this user alone, and returns when it is on the disk.
  ///
  /// The file appears complete or not at all, even if the process or the machine stops.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - bytes: The file's content.
  ///   - trusted: A user that may own the file's directories, besides this user and root.
  /// - Throws: `TrustedFile.Problem`; then the file is absent, or another writer made it. If others
  ///   could replace the file, it is not made.
  package static func create(
    _ path: String,
    _ bytes: [UInt8],
    trusting trusted: UInt32? = nil,
  ) throws(TrustedFile.Problem) {
    do throws(TrustedPath.Problem) {
      _ = try TrustedPath.fileToWrite(path, trusting: trusted)
    } catch {
      throw TrustedFile.Problem(error, of: path)
    }
    // A random name, which other programs cannot predict.
    let draft = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).draft"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .failed(path, code: errno) }
    defer {
      close(descriptor)
      unlink(draft)
    }
    guard makeNarrow(descriptor), write(bytes, to: descriptor), fsync(descriptor) == 0,
      // Unlike a rename, a link does not replace an existing file.
      link(draft, path) == 0 || errno != EEXIST && rename(draft, inTurnTo: path)
    else { throw errno == EEXIST ? .occupied(path) : .failed(path, code: errno) }
    syncDirectory(of: path)
  }

  /// Removes all permissions of other users from a file, regardless of the process's mask.
  ///
  /// Some file systems have one fixed mode for all files, which is accepted if it is narrow.
  private static func makeNarrow(_ descriptor: Int32) -> Bool {
    _ = fchmod(descriptor, 0o600)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    errno = EPERM
    return status.st_mode & 0o077 == 0
  }

  /// Gives a file an unused name on a file system without links.
  ///
  /// Processes that do this at once take turns. If the result is false, `errno` has the reason.
  static func rename(_ draft: String, inTurnTo path: String) -> Bool {
    let descriptor = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX) == 0 else { return false }
    var status = stat()
    guard lstat(path, &status) != 0 else {
      errno = EEXIST
      return false
    }
    #if canImport(Darwin)
    return errno == ENOENT && Darwin.rename(draft, path) == 0
    #else
    return errno == ENOENT && Glibc.rename(draft, path) == 0
    #endif
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { buffer in
        #if canImport(Darwin)
        Darwin.write(descriptor, buffer.baseAddress, buffer.count)
        #else
        Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Makes the file's name durable, if the file system supports it.
  private static func syncDirectory(of path: String) {
    let descriptor = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }

  private static func directory(of path: String) -> String {
    let end = path.lastIndex(of: "/")
    return end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }
}
