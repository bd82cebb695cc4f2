#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Appends to files that grow line by line, such as traces.
extension TrustedFile {
  /// The number of attempts: another program may make or remove the file between two steps.
  private static let attempts = 16

  /// Opens a file to append to it, or makes it for this user alone.
  ///
  /// Another user cannot have chosen the file: it belongs to this user or to root, others may not
  /// write to it, it has one name, and they cannot redirect its path (``TrustedPath``). A pipe that
  /// has a reader, a terminal and other devices are opened too.
  ///
  /// - Parameters:
  ///   - path: The file's path. The name of an open pipe, such as `/dev/stderr`, opens that pipe.
  ///   - trusted: A user that may own the file and its directories, besides this user and root.
  /// - Returns: A descriptor whose writes wait for room.
  /// - Throws: ``Problem``; then no file was made or changed.
  package static func openToAppend(
    _ path: String,
    trusting trusted: UInt32? = nil,
  ) throws(Problem) -> Int32 {
    var reason = ENOENT
    for _ in 0..<attempts {
      let place: (path: String, exists: Bool)
      do throws(TrustedPath.Problem) {
        place = try TrustedPath.fileToWrite(path, trusting: trusted)
      } catch {
        throw Problem(error, of: path)
      }
      let descriptor = openToAppend(path, at: place)
      reason = errno
      if descriptor < 0, reason == ENOENT || reason == EEXIST { continue }
      guard descriptor >= 0 else { throw .failed(path, code: reason) }
      do throws(Problem) {
        try checkAppending(descriptor, path, trusted)
      } catch {
        close(descriptor)
        throw error
      }
      _ = fcntl(descriptor, F_SETFL, O_APPEND)
      return descriptor
    }
    throw .failed(path, code: reason)
  }

  private static func openToAppend(
    _ path: String,
    at place: (path: String, exists: Bool),
  ) -> Int32 {
    // Opening a pipe without a reader fails, and must not block the start.
    let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK
    if place.exists { return open(place.path, flags | O_NOFOLLOW) }
    // The target of the kernel's link to an open pipe is not a path; other users cannot change it.
    if place.path.hasPrefix("/proc/") { return open(path, flags) }
    return open(place.path, flags | O_NOFOLLOW | O_CREAT | O_EXCL, 0o600)
  }

  private static func checkAppending(
    _ descriptor: Int32,
    _ path: String,
    _ trusted: UInt32?,
  ) throws(Problem) {
    let status = try status(descriptor, path)
    try checkOwner(status.st_uid, path, trusted)
    // Other kinds of files store no data, and root's devices may be writable by all users.
    guard status.st_mode & S_IFMT == S_IFREG else { return }
    try checkMode(UInt32(status.st_mode), status.st_gid, path)
    guard status.st_nlink <= 1 else { throw .linked(path) }
  }
}
