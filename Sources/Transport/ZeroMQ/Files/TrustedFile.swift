#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A small file that decides the rights of others, such as grants, settings or a key.
///
/// Another user cannot have chosen its content: the file belongs to this user or to root, others
/// may not write to it, and they cannot redirect its path (``TrustedPath``). Only regular files are
/// read, so reading never waits for another program.
package enum TrustedFile {
  /// The users that may read the file.
  package enum Kind: Sendable {
    /// Every user may read it.
    case open
    /// Only its owner may read it. Exception: the group of a file that root owns may read it too,
    /// below the directory of a service manager's secrets.
    case secret
  }

  /// The reason for which a file cannot be used.
  package enum Problem: Error, Hashable, Sendable {
    /// The file does not exist.
    case missing(String)
    /// A file with this name already exists.
    case occupied(String)
    /// The path leads to a directory, a pipe or a device.
    case irregular(String)
    /// The file is longer than its maximum, in bytes.
    case tooLong(String, most: Int)
    /// The content is invalid.
    case malformed(String)
    /// The file belongs to a user other than this one and root.
    case ownedBy(String, UInt32)
    /// Other users can change the file.
    case writable(String, mode: String)
    /// Other users can read or change a secret.
    case wide(String, mode: String)
    /// The file has several names, so others may have chosen it.
    case linked(String)
    /// Other users can replace the file.
    case path(String, TrustedPath.Problem)
    /// The system refused the operation.
    case failed(String, code: Int32)
  }

  /// The directory of a service manager's secrets, such as systemd's `LoadCredential=`.
  package static var credentials: String? {
    getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - kind: The users that may read it.
  ///   - most: Its maximum size in bytes.
  ///   - trusted: A user that may own the file and its directories, besides this user and root.
  ///   - credentials: The directory of a service manager's secrets.
  /// - Returns: Its bytes.
  /// - Throws: ``Problem``.
  package static func read(
    _ path: String,
    _ kind: Kind,
    most: Int,
    trusting trusted: UInt32? = nil,
    credentials: String? = credentials,
  ) throws(Problem) -> [UInt8] {
    let descriptor = try opened(path, kind, most, trusted, credentials)
    defer { close(descriptor) }
    guard let bytes = FileBytes.read(descriptor, most: most + 1) else {
      throw .failed(path, code: errno)
    }
    guard bytes.count <= most else { throw .tooLong(path, most: most) }
    return bytes
  }

  /// Checks a file without reading it.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - kind: The users that may read it.
  ///   - most: Its maximum size in bytes.
  ///   - trusted: A user that may own the file and its directories, besides this user and root.
  /// - Returns: The reason for which it cannot be read; nil if it can.
  package static func problem(
    _ path: String,
    _ kind: Kind,
    most: Int,
    trusting trusted: UInt32? = nil,
  ) -> Problem? {
    do throws(Problem) {
      close(try opened(path, kind, most, trusted, credentials))
      return nil
    } catch {
      return error
    }
  }

  private static func opened(
    _ path: String,
    _ kind: Kind,
    _ most: Int,
    _ trusted: UInt32?,
    _ credentials: String?,
  ) throws(Problem) -> Int32 {
    let place = try place(of: path, trusted)
    // Does not wait for a pipe's other end, and follows only the path that was checked.
    let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else {
      throw errno == ENOENT ? .missing(path) : .failed(path, code: errno)
    }
    do throws(Problem) {
      try check(descriptor, path, most, trusted)
      if kind == .secret { try checkSecret(descriptor, path, at: place, credentials) }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func place(of path: String, _ trusted: UInt32?) throws(Problem) -> String {
    do throws(TrustedPath.Problem) {
      return try TrustedPath.file(path, trusting: trusted)
    } catch .missing {
      // The name of an open pipe has no target path, but the pipe exists.
      var status = stat()
      throw stat(path, &status) == 0 ? .irregular(path) : .missing(path)
    } catch {
      throw Problem(error, of: path)
    }
  }

  private static func check(
    _ descriptor: Int32,
    _ path: String,
    _ most: Int,
    _ trusted: UInt32?,
  ) throws(Problem) {
    let status = try status(descriptor, path)
    guard status.st_mode & S_IFMT == S_IFREG else { throw .irregular(path) }
    try checkOwner(status.st_uid, path, trusted)
    let mode = UInt32(status.st_mode)
    try checkMode(mode, status.st_gid, path)
    guard status.st_size <= most else { throw .tooLong(path, most: most) }
  }

  static func checkOwner(_ owner: UInt32, _ path: String, _ trusted: UInt32?) throws(Problem) {
    guard owner == geteuid() || owner == 0 || owner == trusted else {
      throw .ownedBy(path, owner)
    }
  }

  static func checkMode(_ mode: UInt32, _ group: UInt32, _ path: String) throws(Problem) {
    guard !OwnAccount.letsOthersWrite(mode: mode, group: group) else {
      throw .writable(path, mode: text(mode))
    }
  }

  private static func checkSecret(
    _ descriptor: Int32,
    _ path: String,
    at place: String,
    _ credentials: String?,
  ) throws(Problem) {
    let status = try status(descriptor, path)
    let mode = UInt32(status.st_mode)
    if mode & 0o077 == 0 { return }
    guard status.st_uid == 0, mode & 0o337 == 0, let credentials,
      let folder = try? TrustedPath.follow(credentials), place.hasPrefix("\(folder.path)/")
    else { throw .wide(path, mode: text(mode)) }
  }

  static func status(_ descriptor: Int32, _ path: String) throws(Problem) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .failed(path, code: errno) }
    return status
  }

  private static func text(_ mode: UInt32) -> String { String(mode & 0o7777, radix: 8) }
}

extension TrustedFile.Problem {
  /// Converts a problem of the file's path.
  init(_ problem: TrustedPath.Problem, of path: String) {
    switch problem {
    case .missing(let place, _): self = .failed(place, code: ENOENT)
    case .failed(let place, let code): self = .failed(place, code: code)
    case .notDirectory(let place): self = .failed(place, code: ENOTDIR)
    case .foreign, .writable: self = .path(path, problem)
    }
  }

  /// Whether another user could have chosen the file or its content.
  package var isUnsafe: Bool {
    switch self {
    case .ownedBy, .writable, .wide, .linked, .path: true
    case .missing, .occupied, .irregular, .tooLong, .malformed, .failed: false
    }
  }

  /// The other user that owns the file or a part of its path.
  package var owner: UInt32? {
    switch self {
    case .ownedBy(_, let owner), .path(_, .foreign(_, let owner)): owner
    default: nil
    }
  }
}

extension TrustedFile.Problem: CustomStringConvertible {
  /// The fault and its remedy.
  package var description: String {
    switch self {
    case .missing(let path): "There is no file \(path)."
    case .occupied(let path): "There is a file \(path) already. Remove it, or name another."
    case .irregular(let path):
      "\(path) is not a regular file: a directory, a pipe or a device is not read. "
        + "Name a regular file."
    case .tooLong(let path, let most):
      "\(path) has more than \(most) bytes, the most that are read. Name another file."
    case .malformed(let path): "\(path) is not a file with a key. Name another one."
    case .ownedBy(let path, let owner):
      "\(path) belongs to user \(owner), who can change it. Expected a file of this user or of "
        + "root."
    case .writable(let path, let mode):
      "Other users can change \(path) (mode \(mode)). If its contents are right, run: "
        + "chmod go-w \(path)"
    case .wide(let path, let mode):
      "Other users can read or change the secret in \(path) (mode \(mode)). If no other "
        + "user has read it, run: chmod 600 \(path)"
    case .linked(let path):
      "\(path) has several names (hard links), so it may be a file that another user has chosen. "
        + "Name a new file, or remove the other names."
    case .path(let path, let problem):
      "\(path) is not used, because its path is not safe. \(problem)"
    case .failed(let path, let code):
      "\(path) cannot be used: \(String(cString: strerror(code))). Check the path and its "
        + "permissions."
    }
  }
}
