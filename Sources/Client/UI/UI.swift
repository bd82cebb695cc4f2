import ArgumentParser
import StoredWorkspace
import TerminalCurses
import TerminalViews

/// Shows a daemon on a terminal: `storectl ui`.
struct UI: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ui",
    abstract: "Show the daemon's features and state on the terminal, live.",
    discussion: """
      The counter, the todos and the game have screens of their own. The state of any scope of any \
      daemon is shown as a tree, and any action that the scope describes can be sent. Press ? for \
      the keys. Without colours if NO_COLOR is set.

      Example:
        storectl ui
      """,
  )

  @OptionGroup var options: ConnectionOptions

  func validate() throws {
    if options.json {
      throw ValidationError("ui shows a screen, which has no JSON: try watch, or status.")
    }
  }

  func run() throws {
    let environment = Environment.variables("TERM", "NO_COLOR")
    do throws(TerminalError) {
      try CursesTerminal.check(environment: environment)
    } catch {
      throw Note.failure(CommandError(.usage, "\(error)"))
    }
    try Connecting(options: options, name: "storectl ui", isListed: true).run { daemon in
      let terminal: CursesTerminal
      do throws(TerminalError) {
        terminal = try CursesTerminal(environment: environment)
      } catch {
        throw CommandError(.usage, "\(error)")
      }
      try await UIProgram(daemon, terminal).run()
    }
  }
}
