import ArgumentParser
import Foundation
import Logging
import StoreDaemon

/// The options of the command line.
///
/// For an omitted option, the environment, the settings file or a default decides.
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
      "A further address to listen at, such as tcp://192.168.1.5:5555. May be repeated.",
      discussion: """
        Over tcp the daemon admits only clients with a known key, such as those of \
        \"storectl invite\" and \"storectl enrol\", and encrypts all frames.
        """,
      valueName: "url",
    )
  )
  var listen: [String] = []

  @Flag(help: "Grant every right to all clients that connect to a loopback address.")
  var insecureLoopback = false

  @Option(
    help: ArgumentHelp(
      "The directory of the persistent state.",
      discussion: """
        The default is the directory "data" in the directory of the sockets. If the latter is the \
        default one too, it is $XDG_STATE_HOME/storeactor, else ~/.local/state/storeactor.
        """,
      valueName: "directory",
    ),
    completion: .directory,
  )
  var data: String?

  @Flag(help: "Keep the state in memory only; a restart begins with the initial state.")
  var inMemory = false

  @Flag(help: "Refuse to start if the data directory has no history, as an empty mount point.")
  var existing = false

  @Flag(
    help: ArgumentHelp(
      "Continue from the records and the initial state if no snapshot can be read.",
      discussion: """
        Refused if the records do not begin with revision 1, or if the history began with another \
        initial state than this program's.
        """,
    )
  )
  var fromInitialState = false

  @Flag(
    help: ArgumentHelp(
      "Do not inform features of the restart, so that interrupted work does not begin again.",
      discussion: """
        Use it once if interrupted work crashes the daemon. The next start without it informs the \
        features of the same work.
        """,
    )
  )
  var safe = false

  @Option(
    help: ArgumentHelp(
      "The durability of changes that clients have seen: full, batched or none.",
      discussion: """
        full: a change survives any crash. batched: it survives a crash of the process; a crash of \
        the machine may lose the last second. none: a crash of the machine may lose any change.
        """,
      valueName: "mode",
    ),
    completion: .list(Durability.allCases.map(\.rawValue)),
  )
  var durability: String?

  @Option(
    help: ArgumentHelp(
      "The file with the rights of other users and keys to see scopes and send actions.",
      discussion: "The default is \"grants\" in the directory of the sockets, if it exists.",
      valueName: "file",
    ),
    completion: .file(),
  )
  var grants: String?

  @Option(
    help: ArgumentHelp(
      "The file of the secret key by which clients over tcp authenticate the daemon.",
      discussion: """
        The default is the file \"key\" in the directory of the sockets. The daemon creates the \
        file if it needs a key and the file does not exist.
        """,
      valueName: "file",
    ),
    completion: .file(),
  )
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The address that serves metrics over HTTP, for Prometheus, such as 127.0.0.1:9464.",
      discussion: """
        A port alone is one of the loopback interface. Every peer that can connect to the address \
        can read the metrics. Without it only \"storectl status --prometheus\" shows them. With \
        it, or with --trace, they include the count and the duration of each action.
        """,
      valueName: "address",
    )
  )
  var metrics: String?

  @Option(
    name: .customLong("metrics-host"),
    help: ArgumentHelp(
      "A host name that requests to the address of --metrics may use. May be repeated.",
      discussion: """
        The daemon always answers requests to a numeric address or to localhost. It refuses every \
        other name with 421, since a web page could choose a name that resolves to this machine.
        """,
      valueName: "name",
    ),
  )
  var metricsHosts: [String] = []

  @Option(
    help: ArgumentHelp(
      "The id of a further user that may own the files of settings, grants and the key.",
      discussion: "Without it only the daemon's user or root may own them.",
      valueName: "user",
    )
  )
  var trustOwner: UInt32?

  @Option(
    help: ArgumentHelp(
      "The file to which to add a line for each action and each effect, as a span.",
      discussion: """
        The lines are those of OpenTelemetry's collector (otlpjsonfile). The parent of an action's \
        span is the span that its client names, or the span of the effect that sends the action. \
        The parent of an effect's span is the span of its action.
        """,
      valueName: "file",
    ),
    completion: .file(),
  )
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "The JSON file of settings.",
      discussion: """
        An object with any of: \(Setting.allCases.map(\.rawValue).joined(separator: ", ")). \
        An environment variable, such as $STOREACTOR_LOG_LEVEL for logLevel, has priority over the \
        file, and an option over both. Without it $STOREACTOR_CONFIG, else the file \
        storeactor/stored.json in $XDG_CONFIG_HOME or ~/.config, if it exists.
        """,
      valueName: "file",
    ),
    completion: .file(extensions: ["json"]),
  )
  var config: String?

  @Option(
    help: ArgumentHelp(
      "The lowest level to log: \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "level",
    ),
    completion: .list(Logger.Level.allCases.map(\.rawValue)),
  )
  var logLevel: String?

  @Option(
    help: ArgumentHelp(
      "The format of the log: text, for people, or json, an object on each line.",
      valueName: "format",
    ),
    completion: .list(DaemonLog.Format.allCases.map(\.rawValue)),
  )
  var logFormat: String?

  @Option(
    help: ArgumentHelp("The service of facts about numbers.", valueName: "url")
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
      "The time for a client to reconnect before its session ends.",
      valueName: "milliseconds",
    ),
  )
  var graceMilliseconds: UInt32?

  @Option(
    help: ArgumentHelp(
      "The bytes of history to keep beyond the part that a restart needs.",
      valueName: "bytes",
    )
  )
  var retainBytes: UInt64?

  @Option(
    help: ArgumentHelp(
      "The greatest age of history beyond the part that a restart needs; without it any age.",
      valueName: "seconds",
    )
  )
  var retainSeconds: UInt64?

  /// Combines these options, the environment and the settings file.
  func settings() throws(SettingsError) -> DaemonSettings {
    let environment = ProcessInfo.processInfo.environment
    var file: (path: String, values: [Setting: [String]])?
    if let values = try values(environment) { file = values }
    let reader = SettingsReader(given: given, environment: environment, file: file)
    let settings = try DaemonSettings(reader, environment: environment)
    try settings.check(reader)
    return settings
  }

  private var given: [Setting: [String]] {
    let texts: [Setting: String?] = [
      .dir: dir, .data: data, .durability: durability, .grants: grants, .key: key,
      .metrics: metrics, .trace: trace, .logLevel: logLevel,
      .logFormat: logFormat, .numberFactBaseURL: numberFactURL,
      .leaseMilliseconds: leaseMilliseconds.map { "\($0)" },
      .graceMilliseconds: graceMilliseconds.map { "\($0)" },
      .trustOwner: trustOwner.map { "\($0)" },
      .retainBytes: retainBytes.map { "\($0)" }, .retainSeconds: retainSeconds.map { "\($0)" },
      .insecureLoopback: insecureLoopback ? "true" : nil, .inMemory: inMemory ? "true" : nil,
      .existing: existing ? "true" : nil,
      .fromInitialState: fromInitialState ? "true" : nil, .safe: safe ? "true" : nil,
    ]
    var given = texts.compactMapValues { $0.map { [$0] } }
    if !listen.isEmpty { given[.listen] = listen }
    if !metricsHosts.isEmpty { given[.metricsHosts] = metricsHosts }
    return given
  }

  /// The settings file's path and values; nil if no file was named and the default one is absent.
  private func values(
    _ environment: [String: String]
  ) throws(SettingsError) -> (path: String, values: [Setting: [String]])? {
    let named = [config, environment["STOREACTOR_CONFIG"]].compactMap(\.self)
      .first { !$0.isEmpty }
    let usual = UserDirectories(environment: environment).find(.configuration)
      .map { "\($0.path)/storeactor/stored.json" }
    guard let path = named ?? usual else { return nil }
    // A program that runs as another user may have that user's HOME, which it may not read.
    if named == nil, access(path, F_OK) != 0, errno == EACCES { return nil }
    // The file cannot name its own trusted owner.
    let owner = trustOwner ?? environment[Setting.trustOwner.variable].flatMap { UInt32($0) }
    if let text = try Self.text(path, owner) { return (path, try Self.values(text, path)) }
    guard named == nil else {
      throw SettingsError(
        .unreadable,
        "There is no file of settings \(path). Check the path given with --config.",
      )
    }
    return nil
  }

  private static func text(_ path: String, _ owner: UInt32?) throws(SettingsError) -> String? {
    do throws(HostError) {
      return try ConfigurationFile.text(path, trusting: owner)
    } catch {
      let code: SettingsError.Code =
        switch error.code {
        case .notAllowed: .notAllowed
        case .configuration: .malformed
        default: .unreadable
        }
      throw SettingsError(code, "The settings could not be read. \(error)")
    }
  }

  private static func values(
    _ text: String,
    _ path: String,
  ) throws(SettingsError) -> [Setting: [String]] {
    do throws(SettingsError) {
      return try SettingsReader.values(json: text)
    } catch {
      throw SettingsError(error.code, "\(path): \(error.message)")
    }
  }
}
