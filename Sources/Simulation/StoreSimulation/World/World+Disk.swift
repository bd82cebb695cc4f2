import StoreActor
import StoreServer

extension World {
  /// Distributes the disk's faults over the run.
  func planDiskFaults(_ disk: SimulatedDisk) {
    for _ in 0..<options.disk.fulls {
      clock.at(delay(.zero...options.span)) { [unowned self] in
        guard !isHealed else { return }
        trace("the disk is full")
        disk.isFull = true
        clock.after(delay(.milliseconds(10) ... .seconds(2))) { disk.isFull = false }
      }
    }
    for _ in 0..<options.disk.syncFailures {
      clock.at(delay(.zero...options.span)) { [unowned self] in
        if !isHealed { disk.failsNext = true }
      }
    }
    for _ in 0..<options.disk.lostAnswers {
      clock.at(delay(.zero...options.span)) { [unowned self] in
        if !isHealed { disk.losesNextAnswer = true }
      }
    }
    for _ in 0..<options.disk.takeovers {
      clock.at(delay(.zero...options.span)) { [unowned self] in takeOver() }
    }
  }

  /// Suspends the daemon's process for a while; another daemon takes over its history.
  ///
  /// Clients that do not notice continue with the first daemon when it resumes.
  private func takeOver() {
    guard let daemon, !isHealed, outdated.isEmpty else { return }
    trace("the daemon's process is stopped")
    daemon.freeze()
    clock.after(delay(.milliseconds(1) ... .milliseconds(500))) { [unowned self] in
      guard self.daemon === daemon else { return }
      trace("another daemon takes over")
      daemon.noteEnd()
      outdated.append(daemon)
      startDaemon()
      for client in openClients where client.index.isMultiple(of: 2) { reconnect(client) }
      clock.after(delay(.zero ... .seconds(1))) {
        self.trace("the previous daemon continues")
        daemon.thaw()
        // A daemon with no pending writes notices after some time that another one holds its lock.
        self.clock.after(self.delay(.zero ... .seconds(1))) { daemon.shutDown() }
      }
    }
  }

  /// Recovers from the disk; if it is damaged, the recovery must fail, and the damage is
  /// then repaired.
  func recover(from disk: SimulatedDisk, initial: Board.State) -> Recovered<Board.State> {
    let epoch = generator.next()
    // A takeover by another machine's daemon does not require this machine to go down.
    if disk.epoch != nil, outdated.isEmpty { disk.mayLosePower() }
    if disk.epoch != nil, foreignSnapshotsLeft > 0 {
      foreignSnapshotsLeft -= 1
      do {
        try disk.addForeignSnapshot()
      } catch {
        history.losses.append("no snapshot can be made: \(error)")
      }
    }
    if disk.epoch != nil, damagesLeft > 0 {
      damagesLeft -= 1
      disk.damageSnapshot()
      if let (damage, repair) = disk.damage() {
        trace("the disk is damaged: \(damage)")
        if (try? disk.recover(initial: initial, epoch: epoch)) != nil {
          history.losses.append("a daemon started although the disk was damaged: \(damage)")
        }
        repair()
      }
    }
    while true {
      do {
        return try disk.recover(initial: initial, epoch: epoch)
      } catch {
        history.losses.append("a daemon cannot start: \(error)")
        precondition(disk.dropNewest(), "The simulated disk is unreadable without rows: \(error)")
      }
    }
  }

  /// Returns the schedules that a daemon restores from the disk, with a planted fault.
  func restored(_ timers: [RestoredTimer]) -> [RestoredTimer] {
    defer { formerTimers = timers }
    switch options.planted {
    case .forgottenAlarms: return []
    case .repeatedAlarms:
      let numbers = Set(timers.map(\.number))
      return timers + formerTimers.filter { !numbers.contains($0.number) }
    default: return timers
    }
  }

  /// Checks at the end that the disk is readable and has the daemon's state.
  func auditDisk(_ root: Board.State) {
    guard let disk, history.unrest == nil else { return }
    do {
      guard try disk.recover(initial: root, epoch: 0).root != root else { return }
      history.losses.append("the disk has another state at the end than its daemon")
    } catch {
      history.losses.append("the disk cannot be read at the end: \(error)")
    }
  }

  /// Handles a daemon that has ended by itself or has finished its shutdown.
  func isOver(_ daemon: SimulatedDaemon) {
    let isCurrent = daemon === self.daemon
    guard isCurrent || outdated.contains(where: { $0 === daemon }) else { return }
    trace("a daemon has ended: \(daemon.turn.failure ?? "it was asked to end")")
    remove(daemon)
    if isCurrent { startLater() }
  }

  /// Ends a daemon's process, and later its connections.
  func remove(_ daemon: SimulatedDaemon) {
    end(daemon)
    clock.after(delay(.milliseconds(1) ... .milliseconds(40))) { [unowned self] in
      cutAll(from: daemon)
    }
  }

  /// Ends a daemon's process.
  func end(_ daemon: SimulatedDaemon) {
    daemon.stop()
    if self.daemon === daemon { crashes.notes = daemon.notes }
    if let journal = daemon.journal { disk?.close(journal) }
    outdated.removeAll { $0 === daemon }
    if self.daemon === daemon { self.daemon = nil }
  }

  func startLater() {
    clock.after(delay(.milliseconds(50) ... .milliseconds(900))) { [unowned self] in
      if daemon == nil { startDaemon() }
    }
  }
}

extension History {
  /// Continues the history after a restart; later revisions are dropped.
  ///
  /// - Parameters:
  ///   - revision: The newest revision of the restarted daemon.
  ///   - root: Its state.
  package mutating func resume(from revision: UInt64, _ root: Board.State) {
    let last = epochs.count - 1
    var epoch = epochs[last]
    guard revision < UInt64(epoch.roots.count), epoch.roots[Int(revision)] == root else {
      losses.append("revision \(revision) differs from its state before the daemon's end")
      // The rest of the history is based on the recovered state.
      epoch.roots = Array(repeating: root, count: Int(revision) + 1)
      epochs[last] = epoch
      return
    }
    if revision < epoch.released {
      losses.append("revision \(epoch.released) was released, and the disk has \(revision)")
    }
    for (client, records) in clients.enumerated() {
      for case .shown(let shown) in records
      where shown.epoch == epoch.number && shown.revision > revision {
        losses.append(
          "client \(client) showed revision \(shown.revision), taken back to \(revision)"
        )
        break
      }
    }
    epoch.roots.removeSubrange((Int(revision) + 1)...)
    epoch.reductions.removeAll { $0.revision > revision }
    epoch.rings.removeAll { $0.revision > revision }
    epoch.outputs.removeAll { $0.revision > revision }
    epoch.sessions.removeAll { $0.revision > revision }
    epoch.released = revision
    epochs[last] = epoch
  }
}
