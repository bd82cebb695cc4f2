import Logging
import StoreHistory
import StoreJournal
import ZeroMQ

/// The reductions during which the daemon ended before.
extension StoreHost {
  /// Opens the notes in the daemon's directory, and logs the crash that they show.
  ///
  /// A daemon that cannot have the file works without it.
  func openCrashNotes() -> CrashNotes {
    let notes: CrashNotes
    do throws(CrashFile.Failure) {
      notes = try CrashFile.notes(in: configuration.directory, at: LoopClock.wallMilliseconds)
    } catch {
      logger.notice(
        """
        Reductions cannot be noted in the directory: an action that ends the daemon can end it \
        again, as often as its client sends it.
        """,
        metadata: ["reason": "\(error)", "dir": "\(configuration.directory)"],
      )
      return CrashNotes()
    }
    if let crash = notes.found { tell(of: crash, among: notes.crashes) }
    return notes
  }

  private func tell(of crash: Crash, among crashes: [Crash]) {
    let runs = crashes.count { $0.client == crash.client && $0.sequence == crash.sequence }
    let consequence =
      if crash.client == nil {
        "It is not held back: if it ends the daemon again, a safe start does without restored work."
      } else if runs < CrashNotes.mostRuns {
        "If its client sends it again, it is reduced once more."
      } else {
        "If its client sends it again, it is refused."
      }
    logger.error(
      "The daemon before this one ended while it reduced \(crash.subject). \(consequence)"
    )
  }
}

extension Crash {
  /// What was being reduced, for a message.
  fileprivate var subject: String {
    guard let client else { return name }
    return "action \(sequence) of client \(client.hexadecimal.prefix(8)) to \(name.quoted)"
  }
}
