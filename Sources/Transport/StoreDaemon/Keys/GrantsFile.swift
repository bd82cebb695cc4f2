import StoreHistory
import StoreProtocol
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
    var named: Grants.Named?

    /// Whether the same file may be usable at another time: it, or what the system knows of those
    /// whom it names, could not be read.
    var isForNow: Bool { code == .system || code == .unreadable }
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

    /// Why it cannot be used now, though perhaps later.
    fileprivate var obstacle: Problem? {
      if case .failure(let problem) = grants, problem.isForNow { problem } else { nil }
    }
  }

  /// A file of grants is written by hand.
  private static let mostBytes = 1 << 20

  let path: String
  /// A user whom the file may belong to, besides the daemon's and root.
  private let trusted: UInt32?
  private let exposed: [ScopeDescription]
  /// Where the system lists users, and groups with their members.
  private let accountFiles: [String]
  private let accounts: Accounts

  init(
    _ path: String,
    exposed: [ScopeDescription],
    trusting trusted: UInt32? = nil,
    accountFiles: [String] = ["/etc/passwd", "/etc/group"],
    accounts: Accounts = .system,
  ) {
    self.path = path
    self.trusted = trusted
    self.exposed = exposed
    self.accountFiles = accountFiles
    self.accounts = accounts
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
  /// A file that could not be read, or names somebody who could not be looked up, is read again at
  /// each look, until that is possible.
  ///
  /// - Parameter stamp: What told it when it was read.
  /// - Returns: The look: what it has found; nil when all is as it was.
  func changes(since stamp: Stamp?) -> @Sendable () -> Change? {
    let known = Mutex((stamp: stamp, obstacle: Problem?.none))
    return {
      let stamp = self.stamp
      let (isChanged, former) = known.withLock { known in
        defer { known.stamp = stamp }
        return (known.stamp != stamp, known.obstacle)
      }
      guard isChanged || former != nil else { return nil }
      let change = look(at: stamp)
      let obstacle = change.obstacle
      known.withLock { $0.obstacle = obstacle }
      return isChanged || obstacle != former ? change : nil
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
        accounts: accounts,
      )
    } catch {
      throw Problem(
        description: "\(path), \(error).",
        code: error.isLookupFailure ? .system : .configuration,
        named: Grants.grantees(in: text, accounts: accounts),
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

extension Accounts {
  /// The system's.
  static let system = Accounts(
    user: { (name) throws(LookupError) in try userNumber(name) },
    group: { (name) throws(LookupError) in try members(name) },
  )

  private static func userNumber(_ name: String) throws(LookupError) -> UInt32? {
    do throws(LookupFailure) {
      return try AccountBuffer.user(named: name)
    } catch {
      throw LookupError(reason: "\(error)")
    }
  }

  private static func members(
    _ name: String
  ) throws(LookupError) -> (id: UInt32, members: Set<UInt32>)? {
    let found: (id: UInt32, members: [String])?
    do throws(LookupFailure) {
      found = try AccountBuffer.group(named: name)
    } catch {
      throw LookupError(reason: "\(error)")
    }
    guard let found else { return nil }
    var members: Set<UInt32> = []
    for name in found.members {
      if let member = try userNumber(name) { members.insert(member) }
    }
    return (found.id, members)
  }
}
