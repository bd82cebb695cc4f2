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

  @Flag(help: "Keep the state in memory only; a restart begins anew. This is the default.")
  var inMemory = false

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
    settings.host.listen = listen
    settings.host.allowsInsecureLoopback = insecureLoopback
    settings.logLevel = logLevel
    if let numberFactURL { settings.numberFactBaseURL = numberFactURL }
    if let leaseMilliseconds { settings.host.lease = .milliseconds(leaseMilliseconds) }
    if let graceMilliseconds { settings.host.grace = .milliseconds(graceMilliseconds) }
    return settings
  }

  private static func logLevel(named name: String) throws -> Logger.Level {
    if let level = Logger.Level(rawValue: name) { return level }
    let names = Logger.Level.allCases.map(\.rawValue)
    let remedy = NearestNames().remedy(for: name, among: names)
    throw ValidationError("There is no log level \"\(name)\"\(remedy)")
  }

  private static func environment() -> [String: String] {
    var environment: [String: String] = [:]
    for name in ["STOREACTOR_DIR", "XDG_RUNTIME_DIR", "HOME"] {
      environment[name] = getenv(name).map { String(cString: $0) }
    }
    return environment
  }
}
