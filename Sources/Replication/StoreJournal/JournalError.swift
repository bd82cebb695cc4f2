/// Why a journal cannot be opened, read or written.
package struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: Hashable, Sendable {
    /// The file belongs to another root, or is none of ours.
    case foreign
    /// A later release wrote it.
    case newer
    /// An earlier release wrote it, in a form that is not read any more.
    case older
    /// There is none.
    case missing
    /// Where something was to go there is something.
    case occupied
    /// The program's types cannot read what is kept.
    case schema
    /// What was kept is not what is found.
    case corrupt
    /// Another daemon has begun to write since: nothing was changed, and nothing ever will be.
    case fenced
    /// There is no room on the disk: nothing was changed, and it may be tried again.
    case full
    /// Somebody else uses what is needed: nothing was changed, and it may be tried again.
    case busy
    /// The file system did not let a file or a directory be read. That is no damage: nothing was
    /// changed, and it may be tried again.
    case unreadable
    /// The file system said no. After a write or a sync it is not known what the disk holds.
    case system

    /// Whether nothing was changed, so that it may be tried again.
    package var isForNow: Bool { [.full, .busy, .unreadable].contains(self) }
  }

  package let code: Code
  /// What was wrong, and all else that is known without a look at the directory.
  private let fault: String
  /// The directory that is damaged, of which a remedy is looked for; nil for none.
  private let damaged: String?
  /// No later revision is named as one that can be had; nil where none is.
  private let bound: UInt64?

  /// An error that says itself what to do.
  package init(_ code: Code, _ message: String) {
    self.code = code
    fault = message
    (damaged, bound) = (nil, nil)
  }

  /// A directory is damaged.
  ///
  /// What can be had of it is looked for when the message is asked for. So whoever reads on beyond
  /// damage pays nothing for it, and whoever looks for a remedy may meet such an error.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - fault: What was wrong, as a sentence without its end.
  ///   - revision: The revision from which on nothing can be had, as a program's types tell; nil
  ///     where the files tell.
  init(in directory: String, _ fault: String, before revision: UInt64? = nil) {
    code = .corrupt
    self.fault = "The journal in \(directory) is damaged: \(fault)."
    damaged = directory
    bound = revision.map { $0 == 0 ? nil : $0 - 1 } ?? .max
  }

  /// What was wrong, what was expected and what to do.
  ///
  /// - Complexity: O(n), where n is the number of bytes from the newest good snapshot on, where the
  ///   directory is damaged.
  package var message: String {
    guard let damaged else { return fault }
    return "\(fault) \(JournalReader.remedy(for: damaged, upTo: bound))"
  }

  package var description: String { message }
}
