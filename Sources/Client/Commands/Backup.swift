import ArgumentParser
import GenericState
import StoreHistory
import StoreJournal
import StoreProtocol
import StoreState

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Copies what a data directory has: `storectl backup`.
struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy all that a data directory has to another one, also while its daemon runs.",
    discussion: """
      The copy has everything up to one revision, and each record and snapshot was looked at on \
      the way. It is there as a whole or not at all. Exits with 73 where there is something already.

      Example:
        storectl backup --data data copy
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Option(
    help: ArgumentHelp("The data directory.", valueName: "directory"),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var data: String

  @Argument(
    help: ArgumentHelp("Where the copy goes: a directory that is empty, or is made."),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var copy: String

  func run() throws {
    try Copying.run(isJSON: options.json, to: copy) { progress in
      let reader = try JournalReader(directory: data)
      try Copying.check(copy, isNotInside: data)
      return try reader.copy(
        to: copy,
        onProgress: { progress.tell("revision \($0) of \($1)") },
        noting: { Copying.note($0, progress) },
      )
    }
  }
}

/// Makes a data directory of a copy: `storectl restore`.
struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Make a data directory of a backup, or of another data directory.",
    discussion: """
      A daemon that starts from it begins another epoch: its clients fetch their state anew, and \
      what they have sent since runs again where it is not in the copy. Exits with 73 where there \
      is something already, and with 75 where a daemon runs.

      Example:
        storectl restore copy --data restored
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(
    help: ArgumentHelp("The backup."),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var copy: String

  @Option(
    help: ArgumentHelp("A directory that is empty, or is made.", valueName: "directory"),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var data: String

  @Option(help: ArgumentHelp("Leave out what came behind a revision.", valueName: "revision"))
  var through: UInt64?

  func run() throws {
    try Copying.run(isJSON: options.json, to: data) { progress in
      let reader = try JournalReader(directory: copy)
      try Copying.check(data, isNotInside: copy)
      return try reader.copy(
        to: data,
        through: through,
        onProgress: { progress.tell("revision \($0) of \($1)") },
        noting: { Copying.note($0, progress) },
      )
    }
  }
}

/// What commands that copy a history have in common.
enum Copying {
  /// Says that what no restart needs is damaged, and is not in a copy.
  static func note(_ damage: HistoryError, _ progress: ProgressLine) {
    progress.end()
    Note.print("\(damage.message) What came before is not in the copy.")
  }

  /// Copies, and says what was copied.
  ///
  /// - Parameters:
  ///   - isJSON: Whether a program reads it.
  ///   - directory: Where it goes.
  ///   - body: Copies, tells how far it has come, and returns the newest revision.
  /// - Throws: What the program exits with, when it has said why.
  static func run(
    isJSON: Bool,
    to directory: String,
    _ body: (ProgressLine) throws -> UInt64,
  ) throws {
    do {
      let revision = try {
        let progress = ProgressLine()
        // Before anything else is said.
        defer { progress.end() }
        return try body(progress)
      }()
      let root = try JournalReader(directory: directory).heading().root
      let tree: JSONValue = ["revision": .integer(revision), "root": .string(root)]
      try StandardOutput.line(
        isJSON || !isOutputTerminal
          ? tree.text()
          : "\(directory) has \"\(Printable.text(root))\" up to revision \(revision)."
      )
    } catch {
      throw Note.failure(error)
    }
  }

  /// Refuses to copy a directory into itself: the copy would be among what a daemon keeps, and go
  /// with it.
  static func check(_ directory: String, isNotInside source: String) throws(CommandError) {
    // Of what is not there yet, as much of its path as is.
    var there = directory
    while !there.isEmpty, resolved(there) == nil {
      there = there.lastIndex(of: "/").map { String(there[..<$0]) } ?? "."
    }
    guard let source = resolved(source), let place = resolved(there.isEmpty ? "/" : there),
      // Where the place itself is the source, that is told as what it is: not empty.
      place.hasPrefix("\(source)/") || place == source && there != directory
    else { return }
    throw CommandError(
      .usage,
      "\(directory) is inside of \(source), which is copied. Name a directory that is not.",
    )
  }

  /// A path without links; nil where nothing is there.
  private static func resolved(_ path: String) -> String? {
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    return resolved.map { String(cString: $0) }
  }
}
