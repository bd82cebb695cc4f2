import ArgumentParser
import Foundation
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

/// Copies the contents of a data directory: `storectl backup`.
struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy a data directory to another one, also while its daemon runs.",
    discussion: """
      The copy has all data up to one revision. Each record and snapshot is checked during the \
      copy. The copy appears as a whole or not at all. Exits with 73 if the target is not empty.

      With --follow it keeps the copy up to date until it is stopped, and the target may be on \
      another machine, ssh://[USER@]HOST[:PORT]/DIRECTORY, where only sh and commands such as \
      cksum and sync are needed. It continues a copy that it finds there. If the target cannot be \
      reached later, it tries again. It prints a line when the copy has everything; storectl \
      status shows how much a copy lacks. It ends with 65 if the source is damaged, and with 73 \
      if the copy is not one of this source; the copy then stays as it is.

      Examples:
        storectl backup --data data copy
        storectl backup --data data --follow ssh://vault/backups/app
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Option(
    help: ArgumentHelp("The data directory.", valueName: "directory"),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var data: String

  @Flag(help: "Keep the copy up to date until SIGTERM or SIGINT.")
  var follow = false

  @Option(
    help: ArgumentHelp(
      "With --follow: the bytes of history that the copy keeps beyond the part that a restart "
        + "needs; without it 1 GiB.",
      valueName: "bytes",
    )
  )
  var retainBytes: UInt64?

  @Option(
    help: ArgumentHelp(
      "With --follow: the greatest age of this history; without it any age.",
      valueName: "seconds",
    )
  )
  var retainSeconds: UInt32?

  @Argument(
    help: ArgumentHelp(
      "The target: an empty directory, or a new one; with --follow also an earlier copy."
    ),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var copy: String

  func validate() throws {
    guard !follow else { return }
    guard retainBytes == nil, retainSeconds == nil else {
      throw ValidationError("--retain-bytes and --retain-seconds are for --follow.")
    }
    guard !copy.hasPrefix(SecureShellAddress.prefix) else {
      throw ValidationError("A copy on another machine is kept up to date: add --follow.")
    }
  }

  func run() throws {
    guard !follow else {
      let session = FollowSession(
        data: data,
        // A relative path would depend on the directory in which the command is started.
        target: copy.hasPrefix(SecureShellAddress.prefix)
          ? copy : URL(fileURLWithPath: copy).standardizedFileURL.path,
        retention: Retention(
          bytes: retainBytes.map { Int(clamping: $0) } ?? FollowSession.retainedBytes,
          age: retainSeconds.map { .seconds($0) },
        ),
        isJSON: options.json || !isOutputTerminal,
      )
      do {
        try session.run()
      } catch {
        throw Note.failure(error)
      }
    }
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

/// Creates a data directory from a copy: `storectl restore`.
struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Create a data directory from a backup, or from another data directory.",
    discussion: """
      A daemon that starts from it begins another epoch: its clients fetch their whole state, and \
      actions that they have sent since run again if the copy lacks them. Exits with 73 if the \
      target is not empty, and with 75 if a daemon uses it.

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
    help: ArgumentHelp("The target: an empty directory, or a new one.", valueName: "directory"),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var data: String

  @Option(help: ArgumentHelp("Omit changes after a revision.", valueName: "revision"))
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

/// Code that is shared by the commands that copy a history.
enum Copying {
  /// Reports damage in data that no restart needs, and that the copy therefore lacks.
  static func note(_ damage: HistoryError, _ progress: ProgressLine) {
    progress.end()
    Note.print("\(damage.message) The copy lacks the earlier history.")
  }

  /// Copies, and prints the newest revision of the copy.
  ///
  /// - Parameters:
  ///   - isJSON: Whether the output is for a program.
  ///   - directory: The destination.
  ///   - body: Copies, reports progress, and returns the newest revision.
  /// - Throws: The program's exit status, after the reason was printed.
  static func run(
    isJSON: Bool,
    to directory: String,
    _ body: (ProgressLine) throws -> UInt64,
  ) throws {
    do {
      let revision = try {
        let progress = ProgressLine()
        // Ends the line before any other output.
        defer { progress.end() }
        return try body(progress)
      }()
      let root = try JournalReader(directory: directory).heading().root
      try report(directory, root, revision, isJSON: isJSON || !isOutputTerminal)
    } catch {
      throw Note.failure(error)
    }
  }

  /// Prints the newest revision of a copy.
  static func report(
    _ place: String,
    _ root: String,
    _ revision: UInt64,
    isJSON: Bool,
  ) throws {
    let tree: JSONValue = ["revision": .integer(revision), "root": .string(root)]
    try StandardOutput.line(
      isJSON
        ? tree.text() : "\(place) has \"\(Printable.text(root))\" up to revision \(revision)."
    )
  }

  /// Refuses to copy a directory into itself: the copy would be among the daemon's files, and would
  /// be lost with them.
  static func check(_ directory: String, isNotInside source: String) throws(CommandError) {
    // For a path that does not exist yet, its longest existing prefix is checked.
    var there = directory
    while !there.isEmpty, resolved(there) == nil {
      there = there.lastIndex(of: "/").map { String(there[..<$0]) } ?? "."
    }
    guard let source = resolved(source), let place = resolved(there.isEmpty ? "/" : there),
      // If the destination itself is the source, a later check reports that it is not empty.
      place.hasPrefix("\(source)/") || place == source && there != directory
    else { return }
    throw CommandError(
      .usage,
      "\(directory) is inside of \(source), which is copied. Name a directory that is not.",
    )
  }

  /// A path without links; nil if no file exists at the path.
  private static func resolved(_ path: String) -> String? {
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    return resolved.map { String(cString: $0) }
  }
}
