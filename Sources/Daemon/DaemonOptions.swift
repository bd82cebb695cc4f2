import ArgumentParser
import Logging
import StoreDaemon
import StoreReplication
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What the command line says.
///
/// What it does not say, the file of settings or a default does.
struct DaemonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The directory of the daemon's sockets and lock.",
      discussion: """
        Without it $STOREACTOR_DIR, else $XDG_RUNTIME_DIR/storeactor, else ~/.storeactor.
        """,
      valueName: "directory",
    ),
    completion: .directory,
  )
  var dir: String?

  @Option(
    help: ArgumentHelp(
      "A further address to listen at, such as tcp://127.0.0.1:5555. May be repeated.",
      valueName: "url",
    )
  )
  var listen: [String] = []

  @Flag(help: "Allow addresses on the loopback interface, where every user can connect.")
  var insecureLoopback = false

  @Option(
    help: ArgumentHelp(
      "The directory in which the state is kept.",
      discussion: """
        Without it the directory "data" in that of the sockets; where that is the default one too, \
        $XDG_STATE_HOME/storeactor, if the variable is set.
        """,
      valueName: "directory",
    ),
    completion: .directory,
  )
  var data: String?

  @Flag(help: "Keep the state in memory only; a restart begins anew.")
  var inMemory = false

  @Option(
    help: ArgumentHelp(
      "What is promised of a change that somebody was told of: full, batched or none.",
      discussion: """
        full: nothing takes it back. batched: the end of the process does not, that of the machine \
        may take the last moment. none: that of the machine may take anything.
        """,
      valueName: "mode",
    ),
    completion: .list(Durability.allCases.map(\.rawValue)),
    transform: Self.durability(named:),
  )
  var durability = Durability.full

  @Option(
    help: ArgumentHelp(
      "The file that says what other users may see and send.",
      discussion: "Without it the file \"grants\" in the directory of the sockets, if it is there.",
      valueName: "file",
    ),
    completion: .file(),
  )
  var grants: String?

  @Option(
    help: ArgumentHelp(
      "A JSON file with leaseMilliseconds, graceMilliseconds or numberFactBaseURL.",
      valueName: "file",
    ),
    completion: .file(extensions: ["json"]),
  )
  var config: String?

  @Option(
    help: ArgumentHelp(
      "What to log: \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "level",
    ),
    completion: .list(Logger.Level.allCases.map(\.rawValue)),
    transform: Self.logLevel(named:),
  )
  var logLevel = Logger.Level.notice

  @Option(
    help: ArgumentHelp("The service that is asked for facts about numbers.", valueName: "url")
  )
  var numberFactURL: String?

  @Option(
    name: .customLong("lease-ms"),
    help: ArgumentHelp("Silence after which a client's session ends.", valueName: "milliseconds"),
  )
  var leaseMilliseconds: UInt32?

  @Option(
    name: .customLong("grace-ms"),
    help: ArgumentHelp(
      "The time a client has to come back when its connection is gone.",
      valueName: "milliseconds",
    ),
  )
  var graceMilliseconds: UInt32?

  /// What the daemon is to do: the command line wins over the file, the file over the defaults.
  func settings() throws(SettingsError) -> DaemonSettings {
    var settings = DaemonSettings(
      host: HostConfiguration(
        directory: dir ?? StoreLocation.defaultDirectory(environment: Self.environment())
      )
    )
    if let config { try settings.read(file: config) }
    settings.host.data = try dataDirectory(of: settings.host)
    settings.host.durability = durability
    settings.host.listen = listen
    settings.host.grants = grants
    settings.host.allowsInsecureLoopback = insecureLoopback
    settings.logLevel = logLevel
    if let numberFactURL { settings.numberFactBaseURL = numberFactURL }
    if let leaseMilliseconds { settings.host.lease = .milliseconds(leaseMilliseconds) }
    if let graceMilliseconds { settings.host.grace = .milliseconds(graceMilliseconds) }
    return settings
  }

  /// Where the state is kept; nil for in memory only.
  private func dataDirectory(of host: HostConfiguration) throws(SettingsError) -> String? {
    if inMemory {
      guard data == nil else {
        throw SettingsError(
          .usage,
          "--in-memory keeps nothing, and --data says where to keep it. Use one of them.",
        )
      }
      return nil
    }
    if let data { return data }
    let environment = Self.environment()
    if dir == nil, environment["STOREACTOR_DIR"] == nil,
      let state = environment["XDG_STATE_HOME"], state.hasPrefix("/")
    {
      return "\(state)/storeactor"
    }
    return "\(host.directory)/data"
  }

  private static func durability(named name: String) throws -> Durability {
    if let durability = Durability(rawValue: name) { return durability }
    let names = Durability.allCases.map(\.rawValue)
    let remedy = NearestNames().remedy(for: name, among: names)
    throw ValidationError("There is no durability called \"\(name)\"\(remedy)")
  }

  private static func logLevel(named name: String) throws -> Logger.Level {
    if let level = Logger.Level(rawValue: name) { return level }
    let names = Logger.Level.allCases.map(\.rawValue)
    let remedy = NearestNames().remedy(for: name, among: names)
    throw ValidationError("There is no log level \"\(name)\"\(remedy)")
  }

  private static func environment() -> [String: String] {
    var environment: [String: String] = [:]
    for name in ["STOREACTOR_DIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME"] {
      environment[name] = getenv(name).map { String(cString: $0) }
    }
    return environment
  }
}
