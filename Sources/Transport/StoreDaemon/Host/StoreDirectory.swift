import StoreJournal
import StoreProtocol
import StoreState
import Synchronization
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A daemon's directory: private to its user, and locked for as long as the daemon runs.
///
/// The lock is necessary: a second bind to a live socket's path succeeds and takes over
/// new clients.
final class StoreDirectory: Sendable {
  let path: String
  private let lock: DirectoryLock
  /// The identities of the files that clients use, recorded after all were opened.
  ///
  /// Bounded by ``remembered``.
  private let files = Mutex<[(name: String, identity: FileIdentity)]>([])
  /// The daemon's journal, if it is in this directory.
  private let journal = Mutex<DiskJournal?>(nil)

  /// Creates the directory if it is missing, checks that it is private, and locks it.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - option: The option that names another one; nil if the program has none.
  ///   - program: The name of the program.
  /// - Throws: ``HostError``.
  init(
    _ path: String,
    option: String? = nil,
    program: String = ProgramName.current,
  ) throws(HostError) {
    self.path = path
    let remedy = option.map { " with \($0)" } ?? ""
    try Self.makePrivate(path, remedy)
    lock = try Self.lock(path, remedy, program)
  }

  /// Whether a path leads to this directory, in any spelling.
  func isAt(_ path: String) -> Bool {
    let other = FileIdentity(following: path)
    return other != nil && other == FileIdentity(following: self.path)
  }

  // MARK: - Keeping it

  /// Records the journal, the lock and the sockets, which all exist now.
  ///
  /// - Parameter journal: The daemon's journal, if it is in this directory.
  func remember(_ journal: DiskJournal?) {
    self.journal.withLock { $0 = journal }
    let remembered = [DirectoryLock.name, "ctl", "pub"]
    let names = (journal == nil ? [] : JournalDirectory.names) + remembered
    files.withLock {
      $0 = names.compactMap { name in FileIdentity("\(path)/\(name)").map { (name, $0) } }
    }
  }

  /// The file that was removed or replaced; nil if all are in place.
  ///
  /// Of several, the one with the gravest consequences.
  var loss: DirectoryLoss? {
    let files = files.withLock { $0 }
    let journal = journal.withLock { $0 }
    if let path = journal?.lostPath { return .journal(path) }
    let lost = files.first { name, identity in
      identity.isLost(from: "\(path)/\(name)") || name == DirectoryLock.name && !lock.isOurs
    }
    guard let (name, _) = lost else { return nil }
    let file = "\(path)/\(name)"
    if JournalDirectory.names.contains(name) { return .journal(file) }
    return journal != nil && name == DirectoryLock.name ? .history(file) : .clients(file)
  }

  /// Lets all other users open the sockets, or no other user; the guard decides about admission.
  ///
  /// Other files in the directory have their own permissions.
  func letOthersReach(_ isOpen: Bool) throws(HostError) {
    try setMode(isOpen ? 0o711 : 0o700, of: path)
    for name in ["ctl", "pub"] { try setMode(isOpen ? 0o666 : 0o600, of: "\(path)/\(name)") }
  }

  private func setMode(_ mode: mode_t, of path: String) throws(HostError) {
    guard chmod(path, mode) == 0 else {
      throw HostError(
        .notAllowed,
        "The permissions of \(path) could not be set: \(Self.systemMessage()).",
        remedy: "Check its owner.",
      )
    }
  }

  // MARK: - Taking it

  /// Creates the directory and closes it to others.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - option: The words that state how to name another one, such as ` with --dir`; may be empty.
  /// - Throws: ``HostError``.
  private static func makePrivate(_ path: String, _ option: String) throws(HostError) {
    guard !path.isEmpty else {
      throw HostError(
        .usage,
        "No directory has an empty name.",
        remedy: "Name one\(option).",
      )
    }
    let directory: TrustedPath.Directory
    do throws(TrustedPath.Problem) {
      directory = try TrustedPath.follow(path, makingDirectories: true)
    } catch {
      throw HostError(error, option)
    }
    guard directory.owner == geteuid() else {
      throw HostError(
        .notAllowed,
        "The directory \(path) belongs to user \(directory.owner), not to us.",
        remedy: "Name a directory of your own\(option).",
      )
    }
    guard !directory.isWritableByOthers else {
      throw HostError(
        .notAllowed,
        "Others can write to the directory \(path) (mode \(directory.modeText)).",
        // A shared directory must stay shared.
        remedy: directory.isSticky
          ? "Name a directory of your own\(option)."
          : "Run: chmod 700 \(ShellWord.quoted(path))",
      )
    }
    // Others must not even connect: the publications are for one user.
    guard directory.mode & 0o077 == 0 || chmod(path, 0o700) == 0 else {
      throw HostError(
        .notAllowed,
        "The directory \(path) could not be closed to others: \(systemMessage()).",
        remedy: "Run: chmod 700 \(ShellWord.quoted(path))",
      )
    }
  }

  private static func lock(
    _ directory: String,
    _ option: String,
    _ program: String,
  ) throws(HostError) -> DirectoryLock {
    let file = DirectoryLock.file(in: directory)
    do throws(DirectoryLock.Failure) {
      return try DirectoryLock(directory, program: program)
    } catch {
      switch error {
      case .held(let pid):
        throw HostError(
          .alreadyRunning,
          "\(DirectoryLock.program(of: directory) ?? "A program") uses the directory \(directory) "
            + "already, with pid \(pid).",
          remedy: "Stop it with: kill \(pid), or name another directory\(option).",
        )
      case .irregular:
        throw HostError(
          .cannotCreate,
          "The lock \(file) is not a regular file.",
          remedy: "Remove it, and find its cause.",
        )
      case .unopened(let code):
        throw HostError(
          .cannotCreate,
          "The lock \(file) could not be opened: \(String(cString: strerror(code))).",
          remedy: code == EMFILE
            ? "Raise the limit of open files, with `ulimit -n`."
            : "Check the directory's owner and the disk.",
        )
      case .unwritten(let code):
        throw HostError(
          .cannotCreate,
          "The lock \(file) could not be written: \(String(cString: strerror(code))).",
          remedy: [ENOSPC, EDQUOT].contains(code) ? "Make room on the disk." : "Check the disk.",
        )
      case .unlocked(let code):
        throw HostError(
          .system,
          "The file system could not lock \(file): \(String(cString: strerror(code))).",
          remedy: "Name a directory of a file system with locks (flock).",
        )
      }
    }
  }

  static func systemMessage() -> String { String(cString: strerror(errno)) }
}

/// The consequence of a lost file, with the file's path.
enum DirectoryLoss: Sendable {
  /// The journal: the state is no longer written.
  case journal(String)
  /// The lock of the journal's directory: another daemon may continue the history.
  case history(String)
  /// A socket, or the lock of a directory that has only sockets: clients cannot find the daemon, or
  /// find another one.
  case clients(String)
}

/// The identity of a file, independent of its name.
private struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// The file of a path; nil if it does not exist.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The file that a path leads to; nil if it does not exist.
  init?(following path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Whether a path no longer leads to it; false if that is unknown now.
  func isLost(from path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR }
    return FileIdentity(status) != self
  }

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

extension HostError {
  /// Describes why a daemon cannot use a directory.
  fileprivate init(_ problem: TrustedPath.Problem, _ option: String) {
    switch problem {
    case .foreign, .writable: self.init(.notAllowed, "\(problem)", remedy: "")
    case .missing, .notDirectory, .failed:
      self.init(.cannotCreate, "\(problem)", remedy: "Or name another directory\(option).")
    }
  }
}
