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

/// The file of grants: the scopes that other users and keys may see, and the actions that they
/// may send.
struct GrantsFile: Sendable {
  /// The reason for which it cannot be used.
  struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String
    /// The kind of failure, for a daemon that starts.
    var code = HostError.Code.configuration
    /// The users and keys that its lines name all the same; nil if it could not be read.
    var named: Grants.Named?

    /// Whether the problem may be temporary: the file, or the accounts that it names, could not
    /// be read.
    var isForNow: Bool { code == .system || code == .unreadable }
  }

  /// Changes whenever the file, or the system's data about the accounts that it names, may
  /// have changed.
  struct Stamp: Hashable, Sendable {
    fileprivate let file: FileStamp
    /// The reason why it cannot be read, which changes of its directories can cause too.
    fileprivate let problem: TrustedFile.Problem?
    fileprivate let accounts: [FileStamp?]
  }

  /// Changes whenever a file may have changed.
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

  /// The result of a check.
  struct Change: Sendable {
    /// The stamp that was read before the contents.
    let stamp: Stamp?
    /// The current grants, or the reason for which the file cannot be used.
    let grants: Result<Grants, Problem>

    /// The current problem, if it may be temporary.
    fileprivate var obstacle: Problem? {
      if case .failure(let problem) = grants, problem.isForNow { problem } else { nil }
    }
  }

  /// The most bytes of the file, which people write by hand.
  private static let mostBytes = 1 << 20

  let path: String
  /// A further allowed owner of the file, besides the daemon's user and root.
  private let trusted: UInt32?
  private let exposed: [ScopeDescription]
  /// The files in which the system lists users, and groups with their members.
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

  /// Identifies the file's current version; nil while the file does not exist.
  var stamp: Stamp? {
    FileStamp(path).map { file in
      Stamp(
        file: file,
        problem: TrustedFile.problem(path, .open, most: Self.mostBytes, trusting: trusted),
        accounts: accountFiles.map { FileStamp($0) },
      )
    }
  }

  /// Returns a function that checks whether the file was changed since its last call.
  ///
  /// A file that could not be read, or names an account whose lookup failed, is read again by each
  /// check until it succeeds.
  ///
  /// - Parameter stamp: The file's stamp when it was read.
  /// - Returns: The check; its result is nil if there is no change.
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

  /// Reads the current grants.
  func look() -> Change { look(at: stamp) }

  /// The stamp is read before the contents.
  ///
  /// So the contents match it or are newer, and if they are newer, the next stamp differs.
  private func look(at stamp: Stamp?) -> Change {
    Change(stamp: stamp, grants: Result { () throws(Problem) in try read() })
  }

  /// Reads the grants; a missing file grants no rights.
  func read() throws(Problem) -> Grants { try grants(try text() ?? "") }

  /// The grants of a text, in place of the file's.
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

  /// Its text; nil if the file does not exist.
  func text() throws(Problem) -> String? {
    do throws(HostError) {
      return try ConfigurationFile.text(path, most: Self.mostBytes, trusting: trusted)
    } catch {
      throw Problem(description: "\(error)", code: error.code)
    }
  }
}

extension Accounts {
  /// The system's accounts.
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
