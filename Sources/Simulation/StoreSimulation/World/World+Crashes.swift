import StoreHistory

/// The actions that end a daemon while it reduces them.
struct SimulatedCrashes {
  /// The number of further clients' actions that will do so, each time that they are reduced.
  var due = 0
  /// The tags of those that have done so.
  var fatal: Set<UInt64> = []
  /// The notes that the last daemon has left.
  var notes = [UInt8](repeating: 0, count: CrashNotes.bytes)
  /// The daemon that has ended and is still in its turn; nil without one.
  var ended: SimulatedDaemon?
}

extension World {
  /// Returns whether a daemon ends while it reduces a client's action.
  func crashes(in tag: UInt64) -> Bool {
    if crashes.fatal.contains(tag) { return true }
    guard crashes.due > 0, !isHealed else { return false }
    crashes.due -= 1
    crashes.fatal.insert(tag)
    return true
  }

  /// Ends a daemon in the middle of a reduction: the rest of its turn happens only in our process,
  /// and no other program observes it.
  func crash(_ daemon: SimulatedDaemon, in tag: UInt64, at revision: UInt64) {
    trace("the daemon ends while it reduces client \(tag >> 32)'s action \(tag & 0xffff_ffff)")
    history.crashes[tag, default: 0] += 1
    crashes.notes = daemon.notes
    daemon.noteEnd(through: revision - 1)
    leave(daemon)
    crashes.ended = daemon
  }

  /// Removes a daemon that has ended in a reduction, at the end of the turn.
  func removeCrashed(_ daemon: SimulatedDaemon) {
    crashes.ended = nil
    end(daemon)
    clock.after(delay(.milliseconds(1) ... .milliseconds(40))) { [unowned self] in
      cutAll(from: daemon)
    }
    startLater()
  }
}
