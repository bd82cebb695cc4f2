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
    abstract: "Shows the state of a daemon, and sends it actions.",
    discussion: """
      Exits with 64 for a mistake in the command line, 65 for an unknown scope, a bad action or \
      invalid data, 69 if there is no daemon, or if a daemon keeps no history, 70 if a daemon does \
      not answer, 71 for a failure of the system, 73 if the target exists already, 74 if a file \
      cannot be read or written, 75 for a temporary failure, 76 for an invalid answer, and 77 for \
      a missing permission.

      Watch, log --follow and status --watch print lines until they are stopped. SIGTERM, SIGINT \
      or the end of the output's reader ends them with 0, after a whole line. A signal interrupts \
      every other command, and every screen (143 or 130 in a shell).

      Examples:
        storectl scopes
        storectl watch todos
        storectl send todos '{"addButtonTapped":{"title":"Milk"}}'
      """,
    version: ProgramVersion.text(of: "storectl"),
    subcommands: [
      Scopes.self, Describe.self, Get.self, Watch.self, Send.self, Status.self, Bench.self,
      Invite.self, Enrol.self, Keys.self, Revoke.self, Log.self, Why.self, At.self, Verify.self,
      Backup.self,
      Restore.self, SalvageCommand.self, Export.self, Import.self, Forgive.self, Schedules.self,
      UI.self,
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
