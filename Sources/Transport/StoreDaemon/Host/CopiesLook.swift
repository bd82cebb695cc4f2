import StoreJournal
import StoreProtocol
import Synchronization

/// Reads the notes on the copies of a data directory periodically, off the main thread, for as long
/// as it lives.
@MainActor
final class CopiesLook {
  /// Bounded by ``FollowerNote/most``.
  private var notes: [FollowerNote] = []
  private var look: RepeatedLook<[FollowerNote]>?

  /// Starts reading.
  init(of directory: String) {
    look = RepeatedLook(every: 1, Self.changes(in: directory)) { [weak self] in self?.notes = $0 }
  }

  /// A function that returns the notes when they have changed.
  private nonisolated static func changes(
    in directory: String
  ) -> @Sendable () -> [FollowerNote]? {
    let known = Mutex<[FollowerNote]>([])
    return {
      let found = FollowerNote.all(in: directory)
      return known.withLock { known in
        guard known != found else { return nil }
        known = found
        return found
      }
    }
  }

  /// The state of the copies now.
  var reports: [CopyReport] {
    let now = FollowerNote.wallMilliseconds
    return notes.map { note in
      CopyReport(
        target: note.target,
        revision: note.revision,
        sinceComplete: note.completeAt == 0 ? nil : now - min(now, note.completeAt),
        fault: note.fault ?? (note.hasEnded ? "process \(note.pid) has ended" : nil),
      )
    }
  }
}
