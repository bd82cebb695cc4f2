package import StoreHistory
import StoreProtocol

/// The server's records for the journal, and the journal's results.
extension ReplicaServer {
  /// Whether a record is needed although no action was reduced.
  var needsRecord: Bool {
    guard let recorder else { return false }
    return recorder.needsRecord || recorder.needsSessionNumbers(behind: sessions.lastID)
  }

  /// The records to be written now; nil if no record is due, or a write is in progress.
  func nextBatch() -> JournalBatch? {
    recorder?.nextBatch(now.instant, lastSession: sessions.lastID)
  }

  /// The snapshot to be written now; nil if it is not due.
  func nextSnapshot() -> JournalSnapshot? {
    guard recorder?.needsSnapshot == true else { return nil }
    return snapshot()
  }

  /// The snapshot to be written when the daemon ends; nil if it is not needed.
  package func lastSnapshot() -> JournalSnapshot? {
    guard let recorder, recorder.needsLastSnapshot, !recorder.hasUnreleased else { return nil }
    return snapshot()
  }

  private func snapshot() -> JournalSnapshot? {
    guard let recorder, let encode = root.encodeDurably else { return nil }
    let clients = outcomes.kept(through: root.revision)
    return recorder.snapshot(of: root.version(), clients: clients, encode: encode)
  }

  /// Receives the journal's result for records.
  ///
  /// - Returns: Why the journal has failed; nil while it works.
  func receive(_ result: JournalResult, at moment: Moment) -> String? {
    guard let recorder else { preconditionFailure("A result without a journal: \(result)") }
    now = moment
    if case .renewed(let epoch) = result { begin(epoch) }
    return recorder.finish(result, now: now.instant)
  }

  /// Releases the durable revisions and their outcomes, and reports the recorder's problems.
  func release() {
    guard let recorder else { return }
    root.release(through: recorder.released)
    outcomes.released()
    for problem in recorder.takeProblems() {
      notices.add(ServerNotice(kind: .warning, peer: "journal", text: problem))
    }
  }

  /// Records that the journal has failed: it is unknown whether unreleased revisions are durable.
  func fail(_ reason: String) { root.fail(reason) }

  /// Fails if more records wait for the journal than should be held in memory.
  ///
  /// - Returns: Why the journal has failed; nil while it works.
  func giveUpIfExhausted() -> String? { recorder?.giveUpIfExhausted() }

  /// The holders whose control frames should wait because the journal lags with their records.
  func waitingHolders(_ instant: Instant) -> Set<Holder> {
    recorder?.waitingHolders(instant) ?? []
  }

  /// Whether control frames should wait because the daemon starts.
  func needsBackpressure(_ instant: Instant) -> Bool {
    recorder?.needsBackpressure(instant) ?? false
  }

  /// Whether there are reduced revisions that are not released yet.
  var hasUnreleased: Bool { recorder?.hasUnreleased ?? false }

  /// Starts the effects of the released revisions, after all frames have been sent.
  func startEffects() { root.startEffects() }
}
