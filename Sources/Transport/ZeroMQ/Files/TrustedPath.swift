#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A path to a directory that only its user and root can redirect.
///
/// The rules are those of `sshd` with StrictModes. Each directory on the path belongs to this user
/// or to root. Others may not write to it, unless its sticky bit protects files of other owners, or
/// it is mounted read-only. Members of the user's private group do not count as others
/// (``OwnAccount``). Symbolic links on the path also belong to this user or to root.
package enum TrustedPath {
  /// The directory at the end of a path.
  package struct Directory: Hashable, Sendable {
    /// Its path without symbolic links.
    let path: String
    /// The group to which its group permissions apply.
    let group: UInt32
    /// The user that owns it.
    package let owner: UInt32
    /// Its mode, as `lstat` returns it.
    package let mode: UInt32

    /// Its permissions in octal notation.
    package var modeText: String { String(mode & 0o7777, radix: 8) }
    /// Whether other users than its owner may write to it.
    package var isWritableByOthers: Bool { mode & 0o022 != 0 }
    /// Whether only the owner of an entry may remove it, as in a shared directory.
    package var isSticky: Bool { mode & 0o1000 != 0 }
  }

  /// The reason for which a path is not trusted, or does not lead to a directory.
  package enum Problem: Error, Hashable, Sendable {
    /// The name does not exist. If the parent directory is shared, others may create it.
    case missing(String, isShared: Bool)
    /// The path leads to a file that is not a directory.
    case notDirectory(String)
    /// A part of the path belongs to another user.
    case foreign(String, owner: UInt32)
    /// Others may write to a directory on the path.
    case writable(String, TrustedPath.Directory)
    /// A part of the path cannot be inspected or made.
    case failed(String, code: Int32)
  }

  /// The maximum number of symbolic links, as in the kernel.
  private static let mostLinks = 40

  /// Follows a path as the system does, and checks each step before it takes it.
  ///
  /// - Parameters:
  ///   - path: The path; a relative one begins at the working directory.
  ///   - makesDirectories: Whether missing directories are made, for this user alone.
  ///   - trusted: Another user that may own a part of the path.
  /// - Returns: The directory at the end of the path; its own permissions are not checked.
  /// - Throws: ``Problem``.
  package static func follow(
    _ path: String,
    makingDirectories makesDirectories: Bool = false,
    trusting trusted: UInt32? = nil,
  ) throws(Problem) -> Directory {
    let (place, end) = try walk(path, makesDirectories ? .madeDirectory : .refused, trusted)
    guard end == .directory else { throw .notDirectory(text(place)) }
    return try lookedAt(place)
  }

  /// Follows a path to a file as the system does, and checks each step before it takes it.
  ///
  /// - Parameters:
  ///   - path: The path; a relative one begins at the working directory.
  ///   - trusted: Another user that may own a part of the path.
  /// - Returns: The file's path without symbolic links; the file itself is not checked.
  /// - Throws: ``Problem``.
  static func file(_ path: String, trusting trusted: UInt32?) throws(Problem) -> String {
    text(try walk(path, .refused, trusted).place)
  }

  /// Follows a path to a file that need not exist, and checks each step before it takes it.
  ///
  /// - Parameters:
  ///   - path: The path; a relative one begins at the working directory.
  ///   - trusted: Another user that may own a part of the path.
  /// - Returns: The file's path without symbolic links, and whether it exists; the file itself is
  ///   not checked.
  /// - Throws: ``Problem``, also if the file's directory is missing.
  static func fileToWrite(
    _ path: String,
    trusting trusted: UInt32?,
  ) throws(Problem) -> (path: String, exists: Bool) {
    let (place, end) = try walk(path, .permitted, trusted)
    return (text(place), end != .nothing)
  }

  /// The policy for a missing name.
  private enum Missing {
    case refused
    /// The directory is made, for this user alone.
    case madeDirectory
    /// The last name of the path may be missing.
    case permitted
  }

  private enum End {
    case directory
    case file
    case nothing
  }

  private static func walk(
    _ path: String,
    _ missing: Missing,
    _ trusted: UInt32?,
  ) throws(Problem) -> (place: [String], end: End) {
    var rest = parts(of: path)
    if !path.hasPrefix("/") { rest += parts(of: try workingDirectory()) }
    var place: [String] = []
    var links = 0
    while let name = rest.popLast() {
      if name == ".." {
        _ = place.popLast()
        continue
      }
      let parent = try lookedAt(place)
      try check(parent, trusted)
      let next = place + [name]
      if missing == .madeDirectory, mkdir(text(next), 0o700) != 0, errno != EEXIST,
        errno != EISDIR
      {
        throw .failed(text(next), code: errno)
      }
      switch try found(next, trusted) {
      case .directory: place = next
      case .link(let target):
        links += 1
        guard links <= mostLinks else { throw .failed(text(next), code: ELOOP) }
        if target.hasPrefix("/") { place = [] }
        rest += parts(of: target)
      case .other:
        guard rest.isEmpty else { throw .notDirectory(text(next)) }
        return (next, .file)
      case .nothing:
        guard rest.isEmpty, missing == .permitted else {
          throw .missing(text(next), isShared: parent.isWritableByOthers)
        }
        return (next, .nothing)
      }
    }
    return (place, .directory)
  }

  /// The parts of a path in reverse order.
  private static func parts(of path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }.reversed()
  }

  private static func text(_ place: [String]) -> String { "/" + place.joined(separator: "/") }

  private static func workingDirectory() throws(Problem) -> String {
    guard let path = getcwd(nil, 0) else { throw .failed(".", code: errno) }
    defer { free(path) }
    return String(cString: path)
  }

  private static func lookedAt(_ place: [String]) throws(Problem) -> Directory {
    var status = stat()
    guard lstat(text(place), &status) == 0 else { throw .failed(text(place), code: errno) }
    return Directory(
      path: text(place),
      group: status.st_gid,
      owner: status.st_uid,
      mode: UInt32(status.st_mode),
    )
  }

  private static func check(_ parent: Directory, _ trusted: UInt32?) throws(Problem) {
    try check(owner: parent.owner, parent.path, trusted)
    guard
      !OwnAccount.letsOthersWrite(mode: parent.mode, group: parent.group) || parent.isSticky
        || isMountedForReading(parent.path)
    else { throw .writable(parent.path, parent) }
  }

  /// Whether the files below a path are mounted read-only, as the volumes of a container can be.
  private static func isMountedForReading(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  private static func check(
    owner: UInt32,
    _ path: String,
    _ trusted: UInt32?,
  ) throws(Problem) {
    guard owner == 0 || owner == geteuid() || owner == trusted else {
      throw .foreign(path, owner: owner)
    }
  }

  private enum Found {
    case directory
    case link(target: String)
    case other
    case nothing
  }

  private static func found(
    _ place: [String],
    _ trusted: UInt32?,
  ) throws(Problem) -> Found {
    let path = text(place)
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .failed(path, code: errno) }
      return .nothing
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .directory
    case S_IFLNK:
      try check(owner: status.st_uid, path, trusted)
      return .link(target: try target(of: path))
    default: return .other
    }
  }

  private static func target(of link: String) throws(Problem) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &buffer, buffer.count)
    guard count >= 0 else { throw .failed(link, code: errno) }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension TrustedPath.Problem: CustomStringConvertible {
  /// The fault and its remedy.
  package var description: String {
    switch self {
    case .missing(let path, _): "There is no directory \(path). Make it, or name another."
    case .notDirectory(let path): "\(path) is not a directory. Name another one."
    case .foreign(let path, let owner):
      "\(path) belongs to user \(owner), who could put something else in its place. "
        + "Use a directory below those of this user or of root."
    case .writable(let path, let directory):
      // A shared directory, such as /tmp, must stay shared.
      "Others can write to the directory \(path) (mode \(directory.modeText)), and so put "
        + "replace its files and directories. "
        + (directory.isSticky ? "Name a directory of your own." : "Run: chmod go-w \(path)")
    case .failed(let path, let code):
      "\(path) cannot be used: \(String(cString: strerror(code))). Check the path and its "
        + "permissions."
    }
  }
}
