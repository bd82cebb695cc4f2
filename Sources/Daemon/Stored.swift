import ArgumentParser
import Dispatch
import Foundation
import GenericState
import Logging
import ProgramArguments
import StoreActor
import StoreDaemon
import StoreState
import StoredWorkspace
import StoredWorkspaceLive
import TraceExport
import Tracing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The daemon that ships: it owns the workspace and serves scopes of it to other processes.
///
/// Its `main` is synchronous, because the daemon takes over the main thread.
@main
struct Stored: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stored",
    abstract: "Owns the workspace's state and serves it to clients in other processes.",
    discussion: """
      Prints one line when clients can connect: "ready dir=… epoch=… revision=…". Logs on \
      standard error. SIGTERM or SIGINT finishes accepted actions and ends the daemon. SIGHUP \
      reloads the settings and the grants: the log level and the grants take effect at once, \
      other settings after a restart. SIGUSR2 lets the program's current file take over, as the \
      command upgrade does.

      Reports its status to a service manager (Type=notify of systemd), with watchdog messages \
      if the manager requests them (WatchdogSec=).

      Exits with 64 for invalid options, 66 for a file of settings or grants that cannot be read, \
      71 for a failure of the system, 73 if the daemon cannot be created or another one runs, 75 \
      for a temporary failure, 77 for a missing permission, and 78 for invalid settings or grants.

      Examples:
        stored --dir run --in-memory
        stored --durability batched --log-format json
      """,
    version: ProgramVersion.text(of: "stored"),
    subcommands: [Upgrade.self, ReplayHistory.self, MakeTest.self, ShowConfig.self],
  )

  // Options of the other commands may also precede their names.
  @OptionGroup var options: DaemonOptions

  func run() throws {
    try Self.attempt {
      let settings = try options.settings()
      let traces = try settings.traceFile { Logger(label: "stored").warning("\($0)") }
      if let traces { InstrumentationSystem.bootstrap(traces) }
      defer { traces?.forceFlush() }
      let host = try Self.host(
        settings,
        isReporting: traces != nil || settings.host.metrics != nil,
      )
      host.onReload = { reload(since: settings) }
      try host.run { $0.announce() }
    }
  }

  /// Reads the settings again, off the main thread, and applies those that can change while the
  /// daemon runs.
  private func reload(since start: DaemonSettings) {
    Self.settingsQueue.async { [options] in
      let result = Result { () throws(SettingsError) in try options.settings() }
      DispatchQueue.main.async { Self.take(result, since: start) }
    }
  }

  private static let settingsQueue = DispatchQueue(label: "stored.settings", qos: .utility)

  private static func take(
    _ result: Result<DaemonSettings, SettingsError>,
    since start: DaemonSettings,
  ) {
    let logger = Logger(label: "stored")
    switch result {
    case .success(let settings):
      DaemonLog.level = settings.logLevel
      let others = zip(settings.lines, start.lines).filter { new, old in
        new.setting != .logLevel && new.value != old.value
      }
      logger.notice(
        "The settings are read again.",
        metadata: others.isEmpty
          ? nil : ["inForceAfterRestart": .array(others.map { "\($0.0.setting.rawValue)" })],
      )
    case .failure(let error): logger.error("The settings stay as they were: \(error)")
    }
  }

  static func main() {
    // The daemon continues when the reader of its output closes the pipe.
    signal(SIGPIPE, SIG_IGN)
    // Other users may be granted access to the sockets, but to no other file of the directory.
    umask(0o077)
    runProgram()
  }

  /// Runs `body`; reports its error to the user, and converts the error to an exit status.
  static func attempt(_ body: @MainActor () throws -> Void) throws {
    do {
      try MainActor.assumeIsolated(body)
    } catch let error as SettingsError {
      throw failure("\(error)", status: error.exitStatus)
    } catch let error as HostError {
      throw failure("\(error)", status: error.code.exitStatus)
    }
  }

  /// Creates the daemon with these settings.
  ///
  /// - Parameters:
  ///   - settings: The settings.
  ///   - isReporting: Whether its actions and effects are reported, as spans and as numbers.
  /// - Returns: The daemon.
  /// - Throws: The error for which no daemon can be created.
  @MainActor
  static func host(
    _ settings: DaemonSettings,
    isReporting: Bool = false,
  ) throws -> StoreHost<WorkspaceFeature.State, WorkspaceFeature.Action> {
    try settings.former?.check()
    let facts = try settings.numberFactClient()
    let format = settings.logFormat
    DaemonLog.level = settings.logLevel
    LoggingSystem.bootstrap { DaemonLog(label: $0, format: format) }
    var configuration = settings.host
    // Two types of reducers: a daemon without traces and metrics has no cost for them.
    guard isReporting else { return host(configuration, facts) { WorkspaceFeature() } }
    configuration.programMetrics = ProgramMetrics.bootstrap()
    return host(configuration, facts) { WorkspaceFeature().signpost() }
  }

  @MainActor
  private static func host<R: Reducer<WorkspaceFeature.State, WorkspaceFeature.Action>>(
    _ configuration: HostConfiguration,
    _ facts: NumberFactClient,
    _ reducer: () -> R,
  ) -> StoreHost<WorkspaceFeature.State, WorkspaceFeature.Action> {
    StoreHost(
      initialState: WorkspaceFeature.State(
        game: Game.State(
          counter: GuessCounter.State(
            id: UUID(),
            secret: .random(in: GuessCounter.State.range),
          )
        )
      ),
      exposures: WorkspaceFeature.exposures,
      configuration: configuration,
      logger: Logger(label: "stored"),
      sessionAction: WorkspaceFeature.action(for:),
      withDependencies: { $0.numberFact = facts },
      reducer: reducer,
    )
  }

  /// Prints a result: as text on a terminal, otherwise as JSON.
  static func say(_ text: String, _ json: JSONValue, isJSON: Bool) {
    print(isJSON || isatty(STDOUT_FILENO) == 0 ? json.text() : text)
  }

  /// Reports to the user the error that ends the daemon, and returns its exit status.
  private static func failure(_ text: String, status: Int32) -> ExitCode {
    let line = Array("stored: \(Printable.text(text))\n".utf8)
    // If the write fails, only the status remains.
    _ = write(STDERR_FILENO, line, line.count)
    return ExitCode(status)
  }
}
