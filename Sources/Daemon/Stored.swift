import ArgumentParser
import Foundation
import Logging
import StoreDaemon
import StoreReplication
import Workspace
import WorkspaceLive

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
      Prints one line when clients can connect: "ready dir=… epoch=… revision=…". Logs go to \
      standard error. SIGTERM, SIGINT or SIGHUP finishes what was accepted and ends it.
      """,
  )

  @OptionGroup var options: DaemonOptions

  func run() throws {
    // Nobody may stop the daemon by closing what it writes to.
    signal(SIGPIPE, SIG_IGN)
    // Others may reach the sockets, where that is granted, and nothing else in the directory.
    umask(0o077)
    do {
      try MainActor.assumeIsolated { try serve(options.settings()) }
    } catch let error as SettingsError {
      throw Self.failure("\(error)", status: error.exitStatus)
    } catch let error as HostError {
      throw Self.failure("\(error)", status: error.code.exitStatus)
    }
  }

  @MainActor
  private func serve(_ settings: DaemonSettings) throws {
    let facts = try settings.numberFactClient()
    let level = settings.logLevel
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
    let host = StoreHost(
      initialState: WorkspaceFeature.State(
        game: Game.State(
          counter: GuessCounter.State(
            id: UUID(),
            secret: .random(in: GuessCounter.State.range),
          )
        )
      ),
      exposures: WorkspaceFeature.exposures,
      configuration: settings.host,
      logger: Logger(label: "stored"),
      sessionAction: WorkspaceFeature.action(for:),
      withDependencies: { $0.numberFact = facts },
      reducer: { WorkspaceFeature() },
    )
    try host.run { ready in
      print(
        "ready dir=\(ready.directory) epoch=\(String(ready.epoch, radix: 16))",
        "revision=\(ready.revision)",
      )
      fflush(nil)
    }
  }

  /// Tells the user why the daemon ends, and with which status.
  private static func failure(_ text: String, status: Int32) -> ExitCode {
    let line = Array("stored: \(text)\n".utf8)
    // Where it cannot be said, the status has to do.
    _ = write(STDERR_FILENO, line, line.count)
    return ExitCode(status)
  }
}
