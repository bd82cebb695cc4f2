import ArgumentParser
import GenericState
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreState

/// Lets actions be reduced again that a daemon refuses because it ended during them.
struct Forgive: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forgive",
    abstract:
      "Let actions be reduced again that the daemon refuses because it crashed during them.",
    discussion: """
      A daemon that ends while it reduces an action reduces it once more, if the client sends it \
      again; after that it refuses it as "crashed". After three crashes within ten minutes during \
      equal actions it refuses all such actions for ten minutes, and twice as long after each \
      further crash. This command makes the daemon forget these crashes, which status lists. An \
      action that was answered "crashed" keeps that outcome.

      It needs no running daemon, only its directory on this machine. Exits with 69 if no daemon \
      has noted anything there.

      Example:
        storectl forgive
      """,
  )

  @OptionGroup var options: ConnectionOptions

  func run() throws {
    do {
      try MainActor.assumeIsolated { try forgive() }
    } catch {
      throw Note.failure(error)
    }
  }

  @MainActor
  private func forgive() throws {
    guard case .location(let location) = try options.place(), let directory = location.directory
    else {
      throw CommandError(
        .usage,
        "The notes are files of the daemon's machine: run the command there, with --dir.",
      )
    }
    let forgiven: [Crash]
    do throws(CrashFile.Failure) {
      forgiven = try CrashFile.forgive(in: directory)
    } catch {
      throw CommandError(
        .unavailable,
        "The notes of crashes in \(directory) cannot be changed: \(error). Name the daemon's "
          + "directory with --dir.",
      )
    }
    for crash in forgiven {
      try StandardOutput.line(options.json ? crash.tree.text() : crash.line)
    }
    if forgiven.isEmpty, !options.json { try StandardOutput.line("There is nothing to forgive.") }
  }
}

extension Crash {
  fileprivate var tree: JSONValue {
    .object([
      .init("name", .string(name)), .init("sequence", client == nil ? .null : .integer(sequence)),
      .init("time", .integer(wallMilliseconds)),
    ])
  }

  fileprivate var line: String {
    let cause = DaemonStatus.cause(name: name, sequence: client == nil ? nil : sequence)
    return Printable.text("forgiven: \(UTCTime.text(milliseconds: wallMilliseconds))  \(cause)")
  }
}
