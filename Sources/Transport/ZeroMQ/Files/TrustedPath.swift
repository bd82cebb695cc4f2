#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A path to a directory that nobody but its user, and the system's, can make lead elsewhere.
///
/// As `sshd` has it with StrictModes: each directory on the way belongs to this user or to root,
/// and others may not write to it, unless its sticky bit keeps them from what is not theirs, or it
/// is mounted for reading only. Members of the user's private group are not others
/// (``OwnAccount``). Symbolic links on the way belong to one of the two as well.
package enum TrustedPath {
  /// What is found at the end of a path.
  package struct Directory: Hashable, Sendable {
    /// Where it is, without symbolic links.
    let path: String
    /// The group whose permissions it has.
    let group: UInt32
    /// Who it belongs to.
    package let owner: UInt32
    /// Its permissions.
    package let mode: UInt32

    /// Its permissions as one writes them.
    package var modeText: String { String(mode & 0o7777, radix: 8) }
    /// Whether others than its owner may write to it.
    package var isWritableByOthers: Bool { mode & 0o022 != 0 }
    /// Whether only the owner of what is in it may remove it, as where it is everybody's.
    package var isSticky: Bool { mode & 0o1000 != 0 }
  }

  /// Why a path is not trusted, or leads to no directory.
  package enum Problem: Error, Hashable, Sendable {
    /// Nothing is there; others may put something there where the directory above is shared.
    case missing(String, isShared: Bool)
    /// Something else is there.
    case notDirectory(String)
    /// A part of the way belongs to another user.
    case foreign(String, owner: UInt32)
    /// Others may write to a directory on the way.
    case writable(String, TrustedPath.Directory)
    /// A part of the way cannot be looked at or made.
    case failed(String, code: Int32)
  }

  /// So many symbolic links are followed, as the kernel does.
  private static let mostLinks = 40

  /// Follows a path as the system does, and checks each step before it is taken.
  ///
  /// - Parameters:
  ///   - path: The path; a relative one begins at the working directory.
  ///   - makesDirectories: Whether directories that are missing are made, for this user alone.
  ///   - trusted: Whoever else a part of the way may belong to.
  /// - Returns: The directory at its end, of which nothing was checked.
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

  /// Follows a path to a file as the system does, and checks each step before it is taken.
  ///
  /// - Parameters:
  ///   - path: The path; a relative one begins at the working directory.
  ///   - trusted: Whoever else a part of the way may belong to.
  /// - Returns: Where the file is, without symbolic links; of the file nothing was checked.
  /// - Throws: ``Problem``.
  static func file(_ path: String, trusting trusted: UInt32?) throws(Problem) -> String {
    text(try walk(path, .refused, trusted).place)
  }

  /// Follows a path to a file that need not exist, and checks each step before it is taken.
  ///
  /// - Parameters:
  ///   - path: The path; a relative one begins at the working directory.
  ///   - trusted: Another user whom a part of the path may belong to.
  /// - Returns: The file's path without symbolic links, and whether something is there; of the
  ///   file itself nothing was checked.
  /// - Throws: ``Problem``, also if the file's directory is missing.
  static func fileToWrite(
    _ path: String,
    trusting trusted: UInt32?,
  ) throws(Problem) -> (path: String, exists: Bool) {
    let (place, end) = try walk(path, .permitted, trusted)
    return (text(place), end != .nothing)
  }

  /// The policy for a name of which nothing exists.
  private enum Missing {
    case refused
    /// A directory is made there, for this user alone.
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

  /// The parts of a path, the first of them last.
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

  /// Whether nobody can change what is below a path, as with the volumes of a container.
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
  /// What was found, and what to do about it.
  package var description: String {
    switch self {
    case .missing(let path, _): "There is no directory \(path). Make it, or name another."
    case .notDirectory(let path): "\(path) is not a directory. Name another one."
    case .foreign(let path, let owner):
      "\(path) belongs to user \(owner), who could put something else in its place. "
        + "Use a directory below those of this user or of root."
    case .writable(let path, let directory):
      // What is everybody's, as /tmp is, must stay so.
      "Others can write to the directory \(path) (mode \(directory.modeText)), and so put "
        + "something else in the place of what is below it. "
        + (directory.isSticky ? "Name a directory of your own." : "Run: chmod go-w \(path)")
    case .failed(let path, let code):
      "\(path) cannot be used: \(String(cString: strerror(code))). Check the path and its "
        + "permissions."
    }
  }
}
