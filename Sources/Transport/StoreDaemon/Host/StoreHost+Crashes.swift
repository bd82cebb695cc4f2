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
    if let crash = notes.found { tell(of: crash, in: notes) }
    return notes
  }

  private func tell(of crash: Crash, in notes: CrashNotes) {
    let consequence =
      if crash.client == nil {
        "The step is not refused. If it belongs to the restart, start once with "
          + (configuration.hasOptions ? "--safe." : "startsSafely.")
      } else if notes.refusesNext(crash, at: LoopClock.wallMilliseconds) {
        "If its client sends it again, it is refused."
      } else {
        "If its client sends it again, it is reduced once more."
      }
    logger.error("The daemon before this one ended during \(crash.subject). \(consequence)")
  }
}

extension Crash {
  /// The step in progress, for a message.
  fileprivate var subject: String {
    guard let client else { return name }
    return "action \(sequence) of client \(client.hexadecimal.prefix(8)) to \(name.quoted)"
  }
}
