public import StoreJournal
import StoreProtocol
import StoreState
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The configuration of a daemon: its directories, addresses and time limits.
public struct HostConfiguration: Sendable {
  /// The directory of its sockets and its lock.
  public var directory: String
  /// The name of the program in its status, in the locks of its directories and in error messages;
  /// the name of the executable file by default.
  public var name: String {
    get { checkedName }
    set { checkedName = ProgramName.checked(newValue) ?? ProgramName.current }
  }
  private var checkedName = ProgramName.current
  /// The directory in which the whole state is kept, so that it survives a crash of the process and
  /// of the machine; with nil it is kept in memory only.
  ///
  /// The root state has to conform to `DurableState`.
  public var data: String?
  /// Whether the daemon refuses to start if its data directory has no history yet.
  ///
  /// Set it for a daemon whose disk is mounted: then it begins no new history in an empty
  /// mount point.
  public var requiresHistory = false
  /// Whether a history without readable snapshots continues from its records and this program's
  /// initial state.
  ///
  /// The daemon refuses that if the records do not begin with revision 1, or if the history began
  /// with another initial state. The setting has no effect if a snapshot can be read.
  public var beginsWithInitialState = false
  /// Whether features are not informed of the start, so that interrupted work does not begin again.
  ///
  /// Set it for one start if such work may crash the daemon. Neither `onRestored` nor `onStart` is
  /// called, and neither the `restoredAction` nor the actions of sessions that have left are sent.
  /// Kept schedules do not fire. The next start without it informs the features of the same work
  /// and the same sessions.
  public var startsSafely = false
  /// Whether clients are notified of a change after it is safely on disk, or before.
  public var durability = Durability.full
  /// How much history is kept for reading the past, beyond the part that a restart needs.
  public var retention = Retention()
  /// Further addresses to listen at, such as `tcp://127.0.0.1:5555`.
  public var listen: [String] = []
  /// The file of the secret key by which clients over tcp authenticate the daemon; nil for `key` in
  /// the directory.
  ///
  /// It is created if it is needed and does not exist. Do not lose it: clients accept no other key.
  public var key: String?
  /// Whether addresses on the loopback interface admit every user of the machine, without keys
  /// and encryption.
  public var allowsInsecureLoopback = false
  /// The file of grants, which defines the scopes and actions of other users; nil for `grants` in
  /// the directory.
  ///
  /// Without the file, only the daemon's own user and root are admitted.
  public var grants: String?
  /// The id of a further owner that is allowed for the files of grants and of the secret key, and
  /// for their directories, besides the daemon's user and root; nil for no other.
  public var trustedOwner: UInt32?
  /// The address at which metrics are served over HTTP, in the text format of Prometheus:
  /// `HOST:PORT` or, on the loopback interface, `PORT`; nil for no address.
  ///
  /// Every peer that can connect to it can read them.
  public var metrics: String?
  /// The names by which the metrics may be requested, besides `localhost` and every address
  /// in digits.
  ///
  /// A request that names another host is refused: otherwise a web page whose own name resolves to
  /// this machine could read the metrics.
  public var metricsHosts: [String] = []
  /// Metrics that the program counts with swift-metrics, reported with the daemon's numbers; nil
  /// for no such metrics.
  public var programMetrics: ProgramMetrics?
  /// How long a client may be silent before its session ends.
  public var lease: Duration = .seconds(10)
  /// How long a client may take to reconnect after it lost its connection, before its session ends.
  public var grace: Duration = .seconds(2)

  /// Whether the program has the options of `stored`; error messages then name them.
  package var hasOptions = false

  /// Creates the configuration of a daemon in a directory.
  public init(directory: String) { self.directory = directory }

  /// The addresses that admit every peer that reaches them.
  var plainAddresses: [String] { listen.filter { !isEncrypted($0) } }

  /// The addresses that require keys.
  var encryptedAddresses: [String] { listen.filter { isEncrypted($0) } }

  private func isEncrypted(_ address: String) -> Bool {
    guard address.hasPrefix("tcp://") else { return false }
    return !(allowsInsecureLoopback && Self.host(of: address).map(Self.isLoopback) ?? false)
  }

  /// The host of an address of tcp, by number; nil for another address.
  private static func host(of address: String) -> UInt32? {
    var parsed = in_addr()
    guard let host = TCPAddress(address)?.host, inet_pton(AF_INET, String(host), &parsed) == 1
    else { return nil }
    return UInt32(bigEndian: parsed.s_addr)
  }

  private static func isLoopback(_ host: UInt32) -> Bool { host >> 24 == 127 }

  var timing: Timing {
    var timing = Timing()
    timing.lease = lease
    timing.grace = grace
    return timing
  }

  /// The directories in which it has sockets, its own first.
  var socketDirectories: [String] {
    [directory] + listen.compactMap { (try? StoreLocation(address: $0))?.directory }
  }

  /// The directories that are its own alone, and the options that name them; nil if the program
  /// has no such options.
  var directories: [(path: String, option: String?)] {
    let names = hasOptions
    var directories = socketDirectories.enumerated().map { place, path in
      (path: path, option: names ? place == 0 ? "--dir" : "--listen" : nil)
    }
    if let data { directories.append((data, names ? "--data" : nil)) }
    return directories
  }

  /// Checks every setting that can be checked before a file or socket is opened.
  func check() throws(HostError) {
    guard data != nil || !requiresHistory else {
      throw HostError(
        .usage,
        "A state that is kept in memory only has no history.",
        remedy: "Omit --existing, or name a data directory.",
      )
    }
    guard data != nil || !beginsWithInitialState else {
      throw HostError(
        .usage,
        "A state that is kept in memory only has no history to go on from.",
        remedy: "Omit --from-initial-state, or name a data directory.",
      )
    }
    try checkLease()
    try checkGrace()
    try checkDirectory()
    try checkListen()
    try checkMetrics()
  }

  /// Checks the lease of clients.
  package func checkLease() throws(HostError) {
    guard lease >= .milliseconds(100), lease <= .seconds(86_400) else {
      throw HostError(
        .usage,
        "A lease of \(lease) is not possible.",
        remedy: "Choose one from 100 milliseconds to a day.",
      )
    }
  }

  /// Checks the time that clients have to reconnect.
  package func checkGrace() throws(HostError) {
    guard grace > .zero, grace <= lease else {
      throw HostError(
        .usage,
        "A grace period of \(grace) does not fit a lease of \(lease).",
        remedy: "Choose one above zero and at most as long as the lease.",
      )
    }
  }

  /// Checks whether sockets fit in the directory.
  package func checkDirectory() throws(HostError) {
    try check(path: StoreLocation(directory: directory))
  }

  /// Checks the further addresses.
  package func checkListen() throws(HostError) {
    for address in listen { try check(address: address) }
  }

  /// Checks the address of the metrics.
  package func checkMetrics() throws(HostError) {
    if let metrics { _ = try MetricsAddress(metrics) }
  }

  private func check(path location: StoreLocation) throws(HostError) {
    do throws(ZeroMQError) {
      try EndpointPath.check(location.control, operation: "bind")
    } catch {
      throw HostError(.usage, "\(error)", remedy: "")
    }
  }

  private func check(address: String) throws(HostError) {
    do throws(LocationError) {
      _ = try StoreLocation(address: address)
    } catch {
      let option = hasOptions ? "Correct --listen." : ""
      throw HostError(
        .usage,
        "\(error)",
        remedy: address.hasPrefix("tcp://") ? Self.remedyForAddress : option,
      )
    }
    guard address.hasPrefix("tcp://"), Self.host(of: address) == nil else { return }
    throw HostError(
      .usage,
      "\(address) cannot be listened at: expected an address of IPv4 in digits.",
      remedy: Self.remedyForAddress,
    )
  }

  private static let remedyForAddress =
    "Use tcp://127.0.0.1:PORT, or tcp://0.0.0.0:PORT for all that this machine has."
}
