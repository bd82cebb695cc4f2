import ArgumentParser
import GenericState
import StoreClient
import StoreState

/// Enrols at a daemon of another machine: `storectl enrol`.
struct Enrol: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol",
    abstract: "Enrol at another machine's daemon, with the line that \"invite\" printed.",
    discussion: """
      Makes a pair of keys and hands in the public one. The secret one stays here, in the \
      directory storeactor/keys of $XDG_CONFIG_HOME or ~/.config, and every command with --connect \
      and the line's address uses it. The line has the daemon's key, so no other daemon can \
      answer. If the answer is lost, the same line can be used again.

      Example:
        storectl enrol 'tcp://host:5555#8c…e1.07…4b'
      """,
  )

  @Flag(help: "Print one line of JSON.")
  var json = false

  @Argument(help: "The line; - reads it from standard input, which hides it from other users.")
  var line: String

  func run() throws {
    do {
      let text = line == "-" ? readLine() ?? "" : line
      guard let line = EnrolmentLine(text.filter { !$0.isWhitespace }) else {
        throw CommandError(
          .badData,
          "This is no line of an invitation. Expected tcp://HOST:PORT#KEY.TICKET, as "
            + "\"storectl invite\" prints it.",
        )
      }
      let environment = Environment.variables("HOME", "XDG_CONFIG_HOME")
      let file = try KeyFile(for: line.address, environment: environment)
      let name = try Enrolment(line, file: file).run()
      try StandardOutput.line(
        json
          ? JSONValue.object([
            .init("name", .string(name)), .init("address", .string(line.address)),
            .init("file", .string(file.path)),
          ])
          .text()
          : "Enrolled as \(Printable.text(name)). Try: storectl --connect \(line.address) scopes"
      )
    } catch {
      throw Note.failure(error)
    }
  }
}
