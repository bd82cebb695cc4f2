import ArgumentParser
import GenericState
import StoreClient
import TerminalCurses

/// Shows the daemon's status: `storectl status`.
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the daemon's status: its revision, its sessions, its counters.",
    discussion: """
      First the daemon's health, then the sessions, the largest backlog first, and last the \
      daemon's counters, without those that are 0.

      With --watch it repeats: on a terminal as a screen, which q ends, else once a second.

      Examples:
        storectl status --watch
        storectl status --prometheus
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Flag(help: "Repeat it until SIGTERM or SIGINT.")
  var watch = false

  @Flag(help: "Print it once, in the text format of Prometheus.")
  var prometheus = false

  /// The delay before the daemon is polled again.
  private static let pause: Duration = .seconds(1)

  func validate() throws {
    if prometheus, watch || options.json {
      throw ValidationError("--prometheus is a format of its own: omit --json and --watch.")
    }
  }

  func run() throws {
    guard watch else { return try showOnce() }
    let isJSON = options.json || !isOutputTerminal
    let connecting = Connecting(
      options: options,
      name: "storectl status",
      isEndless: isJSON || !CursesTerminal.isOfProgram,
    )
    try connecting.run { daemon in
      if !isJSON, let terminal = CursesTerminal.ofProgram() {
        return try await ScreenProgram.showingStatus(of: daemon, on: terminal).run()
      }
      let session = LineSession(isEndless: true)
      // A watching command reports that the daemon has left, and waits for its return.
      daemon.connection.onEvent = { session.handle($0) }
      try await session.run {
        while !session.isOver {
          let status = DaemonStatus(try await daemon.connection.status())
          for line in isJSON ? [status.tree.text()] : status.lines + [""] {
            session.writer.line(line)
          }
          await session.writer.drained()
          if session.writer.failure != nil { return }
          try await daemon.connection.pause(for: Self.pause)
        }
      }
    }
  }

  private func showOnce() throws {
    let (isJSON, prometheus) = (options.json, prometheus)
    try Connecting(options: options, name: "storectl status").ask { daemon in
      let status = DaemonStatus(try await daemon.connection.status())
      for line in prometheus ? status.metrics : isJSON ? [status.tree.text()] : status.lines {
        try StandardOutput.line(line)
      }
    }
  }
}
