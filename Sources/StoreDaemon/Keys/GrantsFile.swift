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
  }

  /// What tells whether it was changed, or what the system knows of those whom it names.
  struct Stamp: Hashable, Sendable {
    fileprivate let file: FileStamp
    /// Why it cannot be read, which also what happens to its directories can bring about.
    fileprivate let problem: TrustedFile.Problem?
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
  /// A user whom the file may belong to, besides the daemon's and root.
  private let trusted: UInt32?
  private let exposed: [ScopeDescription]
  /// Where the system lists users, and groups with their members.
  private let accountFiles: [String]

  init(
    _ path: String,
    exposed: [ScopeDescription],
    trusting trusted: UInt32? = nil,
    accountFiles: [String] = ["/etc/passwd", "/etc/group"],
  ) {
    self.path = path
    self.trusted = trusted
    self.exposed = exposed
    self.accountFiles = accountFiles
  }

  /// What tells whether it was changed; nil while there is no such file.
  var stamp: Stamp? {
    FileStamp(path).map { file in
      Stamp(
        file: file,
        problem: TrustedFile.problem(path, .open, most: Self.mostBytes, trusting: trusted),
        accounts: accountFiles.map { FileStamp($0) },
      )
    }
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
    do throws(HostError) {
      return try ConfigurationFile.text(path, most: Self.mostBytes, trusting: trusted)
    } catch {
      throw Problem(description: "\(error)", code: error.code)
    }
  }
}

// Two types of the system, which are called what accounts have as well.
private typealias UserEntry = passwd
private typealias GroupEntry = group

extension Accounts {
  /// The system's.
  static let system = Accounts(user: { userNumber($0) }, group: { members($0) })

  private static func userNumber(_ name: String) -> UInt32? {
    AccountBuffer.with { buffer, size in
      var entry = UserEntry()
      var found: UnsafeMutablePointer<UserEntry>?
      let status = getpwnam_r(name, &entry, buffer, size, &found)
      return (status, found == nil ? nil : entry.pw_uid)
    }
  }

  private static func members(_ name: String) -> (id: UInt32, members: Set<UInt32>)? {
    let found: (id: UInt32, names: [String])? = AccountBuffer.with { buffer, size in
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
}
