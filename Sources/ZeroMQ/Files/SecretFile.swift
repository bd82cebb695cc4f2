#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A small file that nobody but its user may read.
package enum SecretFile {
  /// Why a secret cannot be read or kept.
  package enum Problem: Error, Hashable, Sendable {
    /// There is none.
    case missing(String)
    /// Something is there already.
    case occupied(String)
    /// It is no file, or too long to be a secret.
    case foreign(String)
    /// It belongs to another user than this one and root.
    case ownedBy(String, UInt32)
    /// Others may read or change it.
    case wide(String, mode: String)
    /// The system refused.
    case failed(String, code: Int32)
  }

  /// A secret is short.
  private static let mostBytes = 4096

  /// Reads a secret.
  ///
  /// - Parameter path: The file.
  /// - Returns: Its bytes.
  /// - Throws: ``Problem``, also where others could have read it: then it is none any more.
  package static func read(_ path: String) throws(Problem) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw errno == ENOENT ? .missing(path) : .failed(path, code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .failed(path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= mostBytes else {
      throw .foreign(path)
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .ownedBy(path, status.st_uid)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw .wide(path, mode: String(status.st_mode & 0o7777, radix: 8))
    }
    guard let bytes = FileBytes.read(descriptor, most: mostBytes) else {
      throw .failed(path, code: errno)
    }
    return bytes
  }

  /// Keeps a secret in a file that is not there yet, for this user alone; it is on the disk then.
  ///
  /// The file is there as a whole or not at all, whatever happens to the process or the machine.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: What it is to have.
  /// - Throws: ``Problem``; then there is no such file, or that of somebody else.
  package static func create(_ path: String, _ bytes: [UInt8]) throws(Problem) {
    // A name that nobody has, and nobody knows beforehand.
    let draft = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).draft"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .failed(path, code: errno) }
    defer {
      close(descriptor)
      unlink(draft)
    }
    guard makeNarrow(descriptor), write(bytes, to: descriptor), fsync(descriptor) == 0,
      // Unlike a rename a link takes nobody's place.
      link(draft, path) == 0 || errno != EEXIST && rename(draft, inTurnTo: path)
    else { throw errno == EEXIST ? .occupied(path) : .failed(path, code: errno) }
    syncDirectory(of: path)
  }

  /// Takes a file from all others, whatever the mask of the process is.
  ///
  /// Some file systems have one mode for all files, which cannot be changed and may do as well.
  private static func makeNarrow(_ descriptor: Int32) -> Bool {
    _ = fchmod(descriptor, 0o600)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    errno = EPERM
    return status.st_mode & 0o077 == 0
  }

  /// Gives a file a name that nothing has, where the file system knows no links.
  ///
  /// Those of us who do so at once take turns. When it is false, `errno` says why.
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

  /// The file's name outlasts the machine's end from now on, where the file system can promise it.
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

extension SecretFile.Problem: CustomStringConvertible {
  /// What was found, and what to do about it.
  package var description: String {
    switch self {
    case .missing(let path): "There is no file \(path)."
    case .occupied(let path): "There is a file \(path) already. Remove it, or name another."
    case .foreign(let path): "\(path) is no file with a key. Name another one."
    case .ownedBy(let path, let owner):
      "\(path) belongs to user \(owner), who knows what is in it. Name one of your own."
    case .wide(let path, let mode):
      "Others can get at the secret in \(path) (mode \(mode)). If nobody has read it, run: "
        + "chmod 600 \(path)"
    case .failed(let path, let code):
      "\(path) cannot be used: \(String(cString: strerror(code))). Check the path and its "
        + "permissions."
    }
  }
}
