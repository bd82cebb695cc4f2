package import StoreHistory
import StoreProtocol

/// What the server has for the journal, and hears from it.
extension ReplicaServer {
  /// Whether a record is needed although nothing was reduced.
  var needsRecord: Bool {
    guard let recorder else { return false }
    return recorder.needsRecord || recorder.needsSessionNumbers(behind: sessions.lastID)
  }

  /// The records to be written now; nil if there are none, or a write is in progress.
  func nextBatch() -> JournalBatch? {
    recorder?.nextBatch(now.instant, lastSession: sessions.lastID)
  }

  /// The snapshot to be written now; nil if none is due.
  func nextSnapshot() -> JournalSnapshot? {
    guard recorder?.needsSnapshot == true else { return nil }
    return snapshot()
  }

  /// The snapshot to be written when the daemon ends; nil if none is needed.
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

  /// Releases what is durable.
  func release() {
    guard let recorder else { return }
    root.release(through: recorder.released)
    outcomes.released()
    for problem in recorder.takeProblems() {
      notices.add(ServerNotice(kind: .warning, peer: "journal", text: problem))
    }
  }

  /// The journal has failed: it is unknown whether unreleased revisions are durable.
  func fail(_ reason: String) { root.fail(reason) }

  /// Fails if more waits for the journal than should be held in memory.
  ///
  /// - Returns: Why the journal has failed; nil while it works.
  func giveUpIfExhausted() -> String? { recorder?.giveUpIfExhausted() }

  /// The holders whose control frames should wait because the journal is behind with theirs.
  func waitingHolders(_ instant: Instant) -> Set<Holder> {
    recorder?.waitingHolders(instant) ?? []
  }

  /// Whether control frames should wait because the daemon starts.
  func needsBackpressure(_ instant: Instant) -> Bool {
    recorder?.needsBackpressure(instant) ?? false
  }

  /// Whether something was reduced that is not durable yet.
  var hasUnreleased: Bool { recorder?.hasUnreleased ?? false }

  /// All frames have been sent: effects of the released revisions start.
  func startEffects() { root.startEffects() }
}
