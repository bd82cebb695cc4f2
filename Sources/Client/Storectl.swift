import ArgumentParser
import ProgramArguments

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads a daemon's state and sends it actions, by the daemon's own description.
///
/// No command depends on the types of a feature. `main` is synchronous, because a connection takes
/// over the main thread.
@main
struct Storectl: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storectl",
    abstract: "Looks at the state that a daemon keeps, and sends it actions.",
    discussion: """
      Exits with 64 for a mistake in the command line, 65 for an unknown scope, a bad action or \
      bad data, 69 when there is no daemon, or none that keeps a history, 70 when there is one \
      that does not answer, 71 when the system fails, 73 where something is that should be made, \
      74 when a file cannot be read or written, 75 when it may work later, 76 for an answer that \
      makes no sense, and 77 for what is not allowed.

      What prints lines until it is told to stop, which are watch, log --follow and status \
      --watch, ends with 0 behind a whole line when SIGTERM or SIGINT comes, or its reader goes. \
      Everything else, and a screen, is ended by the signal (143 or 130 in a shell).

      Examples:
        storectl scopes
        storectl watch todos
        storectl send todos '{"addButtonTapped":{"title":"Milk"}}'
      """,
    version: ProgramVersion.text(of: "storectl"),
    subcommands: [
      Scopes.self, Describe.self, Get.self, Watch.self, Send.self, Status.self, Bench.self,
      Invite.self, Enrol.self, Keys.self, Revoke.self, Log.self, At.self, Verify.self, Backup.self,
      Restore.self, SalvageCommand.self, Export.self, Import.self, UI.self,
    ],
  )

  // Lets the options precede the command's name; shells complete them there, too.
  @OptionGroup var options: ConnectionOptions

  func run() throws {
    throw ValidationError("Name a command, such as: storectl scopes")
  }

  static func main() {
    // A reader that closes its end early is detected by a write, and is not a failure.
    signal(SIGPIPE, SIG_IGN)
    // A limit of file sizes then fails the write, which is reported, instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    runProgram()
  }
}
