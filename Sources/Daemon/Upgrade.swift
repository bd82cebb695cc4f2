import ArgumentParser
import GenericState
import StoreDaemon
import StoreState

/// Replaces a running daemon by the installed build: `stored upgrade`.
struct Upgrade: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Replace a running daemon by the program that is installed now, without an outage.",
    discussion: """
      The running daemon starts its program's file again, with its own arguments and environment. \
      The new process reads the history beside it. Then the daemon settles, and the new process \
      serves: clients resume, and send unanswered actions again. Effects are interrupted, as by a \
      restart. If the new process cannot start, the daemon goes on. If it does not serve within \
      two seconds after the daemon has settled, the former build starts again.

      Prints the pid of the new process. Exits with 75 if there is no daemon, or if it was not \
      replaced, and with 77 if it is another user's.

      Example:
        stored upgrade
      """,
  )

  @Option(
    help: ArgumentHelp("The longest wait; the daemon may be replaced later.", valueName: "seconds")
  )
  var wait: UInt32 = 60

  @Flag(help: "Print one line of JSON, also on a terminal.")
  var json = false

  @OptionGroup var options: DaemonOptions

  func run() throws {
    try Stored.attempt {
      let directory = try options.settings().host.directory
      let pid = try DaemonUpgrade.request(in: directory, within: .seconds(wait))
      Stored.say(
        "Process \(pid) serves \(directory) now.",
        ["pid": .integer(UInt64(pid))],
        isJSON: json,
      )
    }
  }
}
