/// The reason for which a journal cannot be opened, read or written.
package struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: Hashable, Sendable {
    /// The file belongs to another root or another program.
    case foreign
    /// A later release wrote it.
    case newer
    /// An earlier release wrote it, in a form that is no longer supported.
    case older
    /// The journal or file does not exist.
    case missing
    /// The target of a write already exists.
    case occupied
    /// The program's types cannot read the kept data.
    case schema
    /// The kept data is damaged.
    case corrupt
    /// Another daemon has begun to write since: this one may acknowledge no further change.
    case fenced
    /// The disk is full: no change was made, and the caller may retry.
    case full
    /// Another program uses a resource: no change was made, and the caller may retry.
    case busy
    /// The file system refused to read a file or a directory. The data may be intact: no change was
    /// made, and the caller may retry.
    case unreadable
    /// The system reported an error. After a write or a sync the contents of the disk are unknown.
    case system

    /// Whether no change was made, so that the caller may retry.
    package var isForNow: Bool { [.full, .busy, .unreadable].contains(self) }
  }

  package let code: Code
  /// The fault, and all other parts that are known without reading the directory.
  package let fault: String
  /// The remedy; empty if the fault has it, or if it is to be searched.
  private let known: String
  /// The damaged directory for which a remedy is searched; nil to search no remedy.
  private let damaged: String?
  /// The newest revision that a remedy may name; nil to name no revision.
  private let bound: UInt64?

  /// Creates an error whose message contains its own remedy.
  ///
  /// A separate remedy can be left out by a caller that continues after the error.
  package init(_ code: Code, _ message: String, remedy: String = "") {
    self.code = code
    (fault, known) = (message, remedy)
    (damaged, bound) = (nil, nil)
  }

  /// Creates an error for a directory that has no journal.
  init(withoutJournalIn directory: String) {
    self.init(
      .missing,
      "There is no journal in \(directory).",
      remedy: "Name the directory that the daemon was given with --data, or \"data\" in its "
        + "directory.",
    )
  }

  /// Creates an error for a damaged directory.
  ///
  /// The remedy is searched when the message is read. A reader that continues after damage
  /// therefore pays no cost, and the search for a remedy may itself throw such errors.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - fault: The fault, as a sentence without its period.
  ///   - revision: The first revision that the program's types cannot read; nil if the files
  ///     alone decide.
  init(in directory: String, _ fault: String, before revision: UInt64? = nil) {
    code = .corrupt
    self.fault = "The journal in \(directory) is damaged: \(fault)."
    (damaged, known) = (directory, "")
    bound = revision.map { $0 == 0 ? nil : $0 - 1 } ?? .max
  }

  /// The fault, the expectation and the remedy.
  ///
  /// - Complexity: For a damaged directory O(n), where n is the number of bytes from the newest
  ///   intact snapshot on.
  package var message: String {
    guard let damaged else { return known.isEmpty ? fault : "\(fault) \(known)" }
    return "\(fault) \(JournalReader.remedy(for: damaged, upTo: bound))"
  }

  package var description: String { message }
}
