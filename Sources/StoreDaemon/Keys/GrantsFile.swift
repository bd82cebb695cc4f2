import StoreReplication
import StoreState
import Synchronization
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The file that says what other users and keys may see and send.
struct GrantsFile: Sendable {
  /// Why it cannot be used.
  struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String
    /// The kind of failure, for a daemon that starts.
    var code = HostError.Code.configuration
    /// Whom its lines name all the same; nil where it could not be read.
    var named: Set<Grants.Grantee>?

    static func unreadable(_ description: String) -> Self {
      Self(description: description, code: .unreadable)
    }
  }

  /// What tells whether it was changed, or what the system knows of those whom it names.
  struct Stamp: Hashable, Sendable {
    fileprivate let file: FileStamp
    fileprivate let accounts: [FileStamp?]
  }

  /// What tells whether a file was changed.
  fileprivate struct FileStamp: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
      size = Int64(status.st_size)
      #if canImport(Darwin)
      (seconds, nanoseconds) = (status.st_ctimespec.tv_sec, status.st_ctimespec.tv_nsec)
      #else
      (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
      #endif
    }
  }

  /// What a look has found.
  struct Change: Sendable {
    /// What told that something was changed.
    let stamp: Stamp?
    /// What it grants now, or why it cannot be used.
    let grants: Result<Grants, Problem>
  }

  /// A file of grants is written by hand.
  private static let mostBytes = 1 << 20

  let path: String
  private let exposed: [ScopeDescription]
  /// Where the system lists users, and groups with their members.
  private let accountFiles: [String]

  init(
    _ path: String,
    exposed: [ScopeDescription],
    accountFiles: [String] = ["/etc/passwd", "/etc/group"],
  ) {
    self.path = path
    self.exposed = exposed
    self.accountFiles = accountFiles
  }

  /// What tells whether it was changed; nil while there is no such file.
  var stamp: Stamp? {
    FileStamp(path).map { Stamp(file: $0, accounts: accountFiles.map { FileStamp($0) }) }
  }

  /// A look at whether it was changed since the last look.
  ///
  /// - Parameter stamp: What told it when it was read.
  /// - Returns: The look: what it has found; nil when all is as it was.
  func changes(since stamp: Stamp?) -> @Sendable () -> Change? {
    let known = Mutex(stamp)
    return {
      let stamp = self.stamp
      let isChanged = known.withLock { known in
        defer { known = stamp }
        return known != stamp
      }
      guard isChanged else { return nil }
      return look(at: stamp)
    }
  }

  /// Looks at what it grants.
  func look() -> Change { look(at: stamp) }

  /// What is read behind its stamp is what the stamp says, or newer: then there is another one.
  private func look(at stamp: Stamp?) -> Change {
    Change(stamp: stamp, grants: Result { () throws(Problem) in try read() })
  }

  /// What a look has found; or what there is now, where it was changed since.
  func current(_ change: Change) -> Result<Grants, Problem> {
    stamp == change.stamp ? change.grants : look().grants
  }

  /// Reads what it grants; where there is no such file, nothing.
  func read() throws(Problem) -> Grants { try grants(try text() ?? "") }

  /// What a text grants, in place of the file's.
  func grants(_ text: String) throws(Problem) -> Grants {
    do throws(GrantsError) {
      return try Grants(
        reading: text,
        owner: geteuid(),
        exposed: exposed,
        accounts: .system,
      )
    } catch {
      throw Problem(
        description: "\(path), \(error).",
        named: Grants.grantees(in: text, accounts: .system),
      )
    }
  }

  /// Its text; nil where there is no such file.
  func text() throws(Problem) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .unreadable("\(path) cannot be read: \(StoreDirectory.systemMessage()).")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable("\(path) is no file.")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
      throw Problem(
        description: "\(path) could be written by others than us. Run: "
          + "chmod go-w \(ShellWord.quoted(path))",
        code: .notAllowed,
      )
    }
    guard status.st_size <= Self.mostBytes else {
      throw Problem(description: "\(path) has more than \(Self.mostBytes) bytes.")
    }
    guard let bytes = FileBytes.read(descriptor, most: Self.mostBytes + 1) else {
      throw .unreadable("\(path) cannot be read: \(StoreDirectory.systemMessage()).")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(description: "\(path) is no text in UTF-8.")
    }
    return text
  }
}

// Two types of the system, which are called what accounts have as well.
private typealias UserEntry = passwd
private typealias GroupEntry = group

extension Accounts {
  /// The system's.
  static let system = Accounts(user: { userNumber($0) }, group: { members($0) })

  private static func userNumber(_ name: String) -> UInt32? {
    withBuffer { buffer, size in
      var entry = UserEntry()
      var found: UnsafeMutablePointer<UserEntry>?
      let status = getpwnam_r(name, &entry, buffer, size, &found)
      return (status, found == nil ? nil : entry.pw_uid)
    }
  }

  private static func members(_ name: String) -> (id: UInt32, members: Set<UInt32>)? {
    let found: (id: UInt32, names: [String])? = withBuffer { buffer, size in
      var entry = GroupEntry()
      var found: UnsafeMutablePointer<GroupEntry>?
      let status = getgrnam_r(name, &entry, buffer, size, &found)
      guard found != nil else { return (status, nil) }
      var names: [String] = []
      var member = entry.gr_mem
      while let text = member?.pointee {
        names.append(String(cString: text))
        member = member?.advanced(by: 1)
      }
      return (status, (entry.gr_gid, names))
    }
    return found.map { ($0.id, Set($0.names.compactMap { userNumber($0) })) }
  }

  /// Calls with a buffer that is large enough.
  private static func withBuffer<Value>(
    _ body: (_ buffer: UnsafeMutablePointer<CChar>, _ size: Int) -> (status: Int32, value: Value?)
  ) -> Value? {
    var size = 4096
    while true {
      let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
      defer { buffer.deallocate() }
      let result = body(buffer, size)
      guard result.status == ERANGE, size < 1 << 22 else { return result.value }
      size *= 4
    }
  }
}
