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

  package var code: Code
  /// What was wrong, what was expected and what to do.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
