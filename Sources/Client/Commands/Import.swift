import ArgumentParser
import StoreHistory
import StoreJournal

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Creates a data directory from the output of `export`: `storectl import`.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Create a data directory from the output of export.",
    discussion: """
      The directory has the same contents, including the outcomes of actions and the interrupted \
      effects. Import reads "snapshot" and "record" of each line; the rest is for people. A \
      daemon that starts from it begins another epoch, as from a backup. Exits with 73 if the \
      target is not empty, and with 75 if a daemon uses it.

      Example:
        storectl import history --data imported
      """,
  )

  @OptionGroup var options: ConnectionOptions

  @Argument(help: ArgumentHelp("The file, or - for standard input."), completion: .file())
  var file: String

  @Option(
    help: ArgumentHelp("The target: an empty directory, or a new one.", valueName: "directory"),
    completion: .directory,
    transform: PathArgument.parse,
  )
  var data: String

  /// A state occupies a single line, regardless of its size.
  private static let longestLine = 1 << 30

  func run() throws {
    try Copying.run(isJSON: options.json, to: data) { progress in
      var descriptor: Int32 = 0
      if file != "-" {
        descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
          let reason = String(cString: strerror(errno))
          throw CommandError(.inputOutput, "\(file) could not be opened: \(reason).")
        }
      }
      return try take(descriptor, progress)
    }
  }

  private func take(_ descriptor: Int32, _ progress: ProgressLine) throws -> UInt64 {
    var past = PastImport()
    var copy: JournalCopy?
    var splitter = LineSplitter(limit: Self.longestLine)
    while let line = try Self.next(&splitter, descriptor) {
      guard case .text(let text) = line else {
        throw CommandError(.badData, "Line \(past.line + 1) of the export is no text.")
      }
      progress.tell("line \(past.line + 1)")
      switch try past.take(text) {
      case .heading(let format, let heading):
        try JournalDirectory.check(exportFormat: format)
        copy = try JournalCopy(heading, to: data)
      case .snapshot(let part, let revision): try copy?.add(snapshot: part, of: revision)
      case .records(let part): _ = try copy?.add(records: part)
      case nil: break
      }
    }
    guard let copy else { throw CommandError(.badData, "The export is empty. Export it again.") }
    try past.finish()
    return try copy.finish()
  }

  private static func next(
    _ splitter: inout LineSplitter,
    _ descriptor: Int32,
  ) throws -> LineSplitter.Line? {
    while true {
      if let line = splitter.next() { return line }
      let bytes = try LineReader.read(descriptor).get()
      guard !bytes.isEmpty else { return splitter.last() }
      splitter.append(bytes)
    }
  }
}
