import ArgumentParser
import Foundation
import GenericState
import StoreState

/// Shows the settings that are in force: `stored config`.
struct ShowConfig: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show the settings that a daemon would have now, and the source of each one.",
    discussion: """
      A source is an option, an environment variable, a place in the settings file, or "default".

      Example:
        stored config --log-level debug
      """,
  )

  @Flag(help: "Print one line of JSON, also on a terminal.")
  var json = false

  @OptionGroup var options: DaemonOptions

  func run() throws {
    try Stored.attempt {
      let lines = try options.settings().lines
      let width = lines.map(\.setting.rawValue.count).max() ?? 0
      let texts = lines.map { line in
        let name = line.setting.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
        return "\(name)  \(line.value.isEmpty ? "–" : line.value)  (\(line.origin))"
      }
      let members = lines.map { line in
        JSONValue.Member(
          line.setting.rawValue,
          ["value": .string(line.value), "from": .string(line.origin)],
        )
      }
      let text = texts.map { Printable.text($0) }.joined(separator: "\n")
      Stored.say(text, .object(members), isJSON: json)
    }
  }
}
