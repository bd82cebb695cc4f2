#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A small file that decides what others may do, such as grants, settings or a key.
///
/// No other user can have chosen its content: the file belongs to this user or to root, others may
/// not write to it, and they cannot make its path lead elsewhere (``TrustedPath``). Only regular
/// files are read, so reading waits for no other program.
package enum TrustedFile {
  /// Who may read the file.
  package enum Kind: Sendable {
    /// Every user.
    case open
    /// Its owner. The group of a file of root's may read it too, below the directory where a
    /// service manager passes secrets.
    case secret
  }

  /// Why a file cannot be used.
  package enum Problem: Error, Hashable, Sendable {
    /// There is none.
    case missing(String)
    /// Something is there already.
    case occupied(String)
    /// It is a directory, a pipe or a device.
    case irregular(String)
    /// It has more bytes than such a file may have.
    case tooLong(String, most: Int)
    /// Its content makes no sense.
    case malformed(String)
    /// It belongs to another user than this one and root.
    case ownedBy(String, UInt32)
    /// Others can change it.
    case writable(String, mode: String)
    /// Others can read or change a secret.
    case wide(String, mode: String)
    /// It has several names, so it may be a file that others have chosen.
    case linked(String)
    /// Others can put another file in its place.
    case path(String, TrustedPath.Problem)
    /// The system refused.
    case failed(String, code: Int32)
  }

  /// The directory where a service manager passes secrets, such as systemd's `LoadCredential=`.
  package static var credentials: String? {
    getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - kind: Who may read it.
  ///   - most: The most bytes that it may have.
  ///   - trusted: A user whom the file and its directories may belong to, besides this one and
  ///     root.
  ///   - credentials: The directory where a service manager passes secrets.
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
  ///   - path: The file.
  ///   - kind: Who may read it.
  ///   - most: The most bytes that it may have.
  ///   - trusted: A user whom the file and its directories may belong to, besides this one and
  ///     root.
  /// - Returns: Why it cannot be read; nil where it can.
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
    // Without waiting for a pipe's other end. Of the path only what was checked is followed.
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
      // The name of an open pipe leads nowhere, and is there all the same.
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
  /// The problem that a path to a file has.
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

  /// Another user whom the file, or a part of its path, belongs to.
  package var owner: UInt32? {
    switch self {
    case .ownedBy(_, let owner), .path(_, .foreign(_, let owner)): owner
    default: nil
    }
  }
}

extension TrustedFile.Problem: CustomStringConvertible {
  /// What was found, and what to do about it.
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
      "Other users can change \(path) (mode \(mode)). If nobody has changed it, run: "
        + "chmod go-w \(path)"
    case .wide(let path, let mode):
      "Other users can read or change the secret in \(path) (mode \(mode)). If nobody has read "
        + "it, run: chmod 600 \(path)"
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
