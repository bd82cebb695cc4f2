/// The actions that end a daemon while it reduces them.
struct SimulatedCrashes {
  /// The number of further clients' actions that will do so, each time that they are reduced.
  var due = 0
  /// The tags of those that have done so.
  var fatal: Set<UInt64> = []
  /// The notes that the last daemon has left.
  var notes: [UInt8] = []
  /// The daemon that has ended and is still in its turn; nil without one.
  var ended: SimulatedDaemon?
}

extension World {
  /// Records a revision of the current daemon, or ends the daemon in the middle of it.
  func committed(_ revision: UInt64, _ old: Board.State, _ new: Board.State) {
    // A daemon that is starting is not the world's yet, and has no client.
    if let daemon, daemon.isReceiving, new.trail.count > old.trail.count,
      crashes(in: new.trail.last)
    {
      return crash(daemon, in: new.trail.last, at: revision)
    }
    let last = history.epochs.count - 1
    history.epochs[last].roots.append(new)
    if new.trail.count > old.trail.count, let alarm = Board.alarm(ofRing: new.trail.last) {
      history.epochs[last].rings.append(History.Reduction(revision: revision, tag: alarm))
      return history.mix([], revision, alarm)
    }
    for _ in old.trail.count..<new.trail.count {
      let reduction = History.Reduction(revision: revision, tag: new.trail.last)
      history.epochs[last].reductions.append(reduction)
      history.mix([], revision, reduction.tag)
    }
  }

  /// Returns whether a daemon ends while it reduces a client's action.
  private func crashes(in tag: UInt64) -> Bool {
    if crashes.fatal.contains(tag) { return true }
    guard crashes.due > 0, !isHealed else { return false }
    crashes.due -= 1
    crashes.fatal.insert(tag)
    return true
  }

  /// Ends a daemon in the middle of a reduction: the rest of its turn happens only in our process,
  /// and no other program observes it.
  private func crash(_ daemon: SimulatedDaemon, in tag: UInt64, at revision: UInt64) {
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
    remove(daemon)
    startLater()
  }
}
