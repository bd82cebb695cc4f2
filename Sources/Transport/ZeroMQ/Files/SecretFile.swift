#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A small file that nobody but its user may read.
package enum SecretFile {
  /// A secret is short.
  private static let mostBytes = 4096

  /// Reads a secret.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - trusted: A user whom the file may belong to, besides this one and root.
  /// - Returns: Its bytes.
  /// - Throws: `TrustedFile.Problem`, also where others could have read it: then it is none any
  ///   more.
  package static func read(
    _ path: String,
    trusting trusted: UInt32? = nil,
  ) throws(TrustedFile.Problem) -> [UInt8] {
    try TrustedFile.read(path, .secret, most: mostBytes, trusting: trusted)
  }

  /// Keeps a secret in a file that is not there yet, for this user alone; it is on the disk then.
  ///
  /// The file is there as a whole or not at all, whatever happens to the process or the machine.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: What it is to have.
  ///   - trusted: A user whom its directories may belong to, besides this one and root.
  /// - Throws: `TrustedFile.Problem`; then there is no such file, or that of somebody else. Where
  ///   others could put another file in its place, none is made.
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
