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
        Over tcp only keys are let in, which \"storectl invite\" and \"storectl enrol\" give, and \
        all is encrypted.
        """,
      valueName: "url",
    )
  )
  var listen: [String] = []

  @Flag(help: "Let everybody do everything who connects to an address of the loopback interface.")
  var insecureLoopback = false

  @Option(
    help: ArgumentHelp(
      "The directory in which the state is kept.",
      discussion: """
        Without it the directory "data" in that of the sockets; where that is the default one too, \
        $XDG_STATE_HOME/storeactor, else ~/.local/state/storeactor.
        """,
      valueName: "directory",
    ),
    completion: .directory,
  )
  var data: String?

  @Flag(help: "Keep the state in memory only; a restart begins anew.")
  var inMemory = false

  @Flag(help: "Refuse to start where the data directory has no history, as an empty mount point.")
  var existing = false

  @Flag(
    help: ArgumentHelp(
      "Go on from the records and the initial state where no snapshot can be read.",
      discussion: """
        Refused where the records do not begin with revision 1, or where the history began with \
        another initial state than this program's.
        """,
    )
  )
  var fromInitialState = false

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
  )
  var durability: String?

  @Option(
    help: ArgumentHelp(
      "The file that says what other users and keys may see and send.",
      discussion: "Without it the file \"grants\" in the directory of the sockets, if it is there.",
      valueName: "file",
    ),
    completion: .file(),
  )
  var grants: String?

  @Option(
    help: ArgumentHelp(
      "The file of the secret key by which clients over tcp know the daemon.",
      discussion: """
        Without it the file \"key\" in the directory of the sockets. Where one is needed and there \
        is none, it is made.
        """,
      valueName: "file",
    ),
    completion: .file(),
  )
  var key: String?

  @Option(
    help: ArgumentHelp(
      "Where to tell the daemon's numbers over HTTP, for Prometheus, such as 127.0.0.1:9464.",
      discussion: """
        A port alone is one of the loopback interface. Everybody may read the numbers who reaches \
        the address. Without it they are told by \"storectl status --prometheus\" only. With it, \
        or with --trace, the numbers have how often each action ran, and how long that took.
        """,
      valueName: "address",
    )
  )
  var metrics: String?

  @Option(
    name: .customLong("metrics-host"),
    help: ArgumentHelp(
      "A name by which the address of --metrics may be asked. May be repeated.",
      discussion: """
        Asked by a number or as localhost the daemon always answers. Asked by any other name it \
        answers with 421, as a page in a browser could ask by a name of its own choice.
        """,
      valueName: "name",
    ),
  )
  var metricsHosts: [String] = []

  @Option(
    help: ArgumentHelp(
      "The id of a user whom the files of settings, grants and the key may belong to.",
      discussion: "Without it they have to belong to the daemon's user or to root.",
      valueName: "user",
    )
  )
  var trustOwner: UInt32?

  @Option(
    help: ArgumentHelp(
      "The file to which to add a line for each action and each effect, as a span.",
      discussion: """
        The lines are those of OpenTelemetry's collector (otlpjsonfile). An action is a part of \
        its client's span where the client says one, an effect of its action's, and what the \
        effect sends of the effect's.
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
        Each may also be set by the environment, such as logLevel by $STOREACTOR_LOG_LEVEL; that \
        wins over the file, and an option over both. Without it $STOREACTOR_CONFIG, else the file \
        storeactor/stored.json in $XDG_CONFIG_HOME or ~/.config, if it is there.
        """,
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
  )
  var logLevel: String?

  @Option(
    help: ArgumentHelp(
      "How to log: text, for people, or json, an object on each line.",
      valueName: "format",
    ),
    completion: .list(DaemonLog.Format.allCases.map(\.rawValue)),
  )
  var logFormat: String?

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

  @Option(
    help: ArgumentHelp(
      "The bytes of history that are kept besides what a restart needs.",
      valueName: "bytes",
    )
  )
  var retainBytes: UInt64?

  @Option(
    help: ArgumentHelp(
      "How old history becomes that is kept besides what a restart needs; without it any age.",
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
      .fromInitialState: fromInitialState ? "true" : nil,
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
