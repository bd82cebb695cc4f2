import StoreActor
import StoreState

extension ReplicaServer {
  /// The jobs that came up since the last call, to be run on any thread.
  package func takeJobs() -> [CaptureJob] {
    defer { jobs = [] }
    return jobs
  }

  /// Takes what a job found, and sends it to those who wait for it.
  package func receive(_ result: CaptureJob.Result, at moment: Moment) {
    now = moment
    guard let pending = pendingCaptures.removeValue(forKey: result.id) else { return }
    pending.capture.form = result.form
    // Still the scope's capture, so it has not changed since.
    if pending.scope.captures[pending.capture.base] === pending.capture {
      pending.scope.know(result.digest)
    }
    for session in pending.waiting where sessionsByToken[session.token] === session {
      continueTransfers(session)
    }
  }

  /// Sends a scope as it is now, all of it or what changed since the client's revision.
  func send(_ capture: Client.Capture, nonce: UInt64, to session: Client) {
    let shared = sharedCapture(of: capture.scope, for: capture.position)
    session.transfers.append(
      Client.Transfer(
        nonce: nonce,
        handle: capture.handle,
        revision: root.revision,
        capture: shared,
      )
    )
    pendingCaptures[shared.id]?.waiting.append(session)
  }

  /// The capture that others wait for as well, if the scope has not changed since; else a new one.
  private func sharedCapture(
    of scope: ActiveScope<Root, RootAction>,
    for position: ClientMessage.Position?,
  ) -> ScopeCapture {
    let known = position.flatMap { position in
      position.epoch == epoch ? version(position.revision).map { (position.revision, $0) } : nil
    }
    if let capture = scope.captures[known?.0] { return capture }
    let capture = ScopeCapture(id: nextCapture, base: known?.0)
    nextCapture += 1
    jobs.append(
      CaptureJob(
        id: capture.id,
        source: scope.source,
        from: known?.1,
        to: root.state,
        // Room for the rest of the frame.
        replayLimit: limits.frameBytes / 2,
      )
    )
    pendingCaptures[capture.id] = PendingCapture(capture: capture, scope: scope)
    scope.captures.keep(capture)
    return capture
  }

  /// The root at a revision; nil where that is not kept.
  private func version(_ revision: UInt64) -> Root? {
    revision == root.revision ? root.state : versions[revision]
  }

  /// Sends what is there to be sent, pieces of snapshots as far as the session's credit goes.
  func continueTransfers(_ session: Client) {
    while let index = session.transfers.firstIndex(where: { $0.capture.form != nil }) {
      switch session.transfers[index].capture.form {
      case .replay(let delta)?:
        sendReplay(session.transfers.remove(at: index), delta, to: session)
      case .snapshot(let bytes)?:
        guard session.creditUsed < limits.creditBytes else { return }
        sendPiece(at: index, of: bytes, to: session)
      case nil: return
      }
    }
  }

  private func sendReplay(_ transfer: Client.Transfer, _ delta: [UInt8]?, to session: Client) {
    counters.replays += 1
    let replay = DaemonMessage.Replay(
      nonce: transfer.nonce,
      handle: transfer.handle,
      revision: transfer.revision,
      delta: delta?[...],
    )
    send(.replay(replay), to: session.peer)
  }

  private func sendPiece(at index: Int, of bytes: [UInt8], to session: Client) {
    let transfer = session.transfers[index]
    if transfer.offset == 0 { counters.snapshots += 1 }
    let end = min(transfer.offset + limits.chunkBytes, bytes.count)
    let piece = DaemonMessage.SnapshotPiece(
      nonce: transfer.nonce,
      handle: transfer.handle,
      revision: transfer.revision,
      total: UInt64(bytes.count),
      offset: UInt64(transfer.offset),
      bytes: bytes[transfer.offset..<end],
    )
    send(.snapshot(piece), to: session.peer)
    session.creditUsed += end - transfer.offset
    if end == bytes.count {
      session.transfers.remove(at: index)
    } else {
      session.transfers[index].offset = end
    }
  }
}

/// A capture that a job is at, and who waits for it.
struct PendingCapture<Root: Sendable, RootAction> {
  let capture: ScopeCapture
  let scope: ActiveScope<Root, RootAction>
  var waiting: [Session<Root, RootAction>] = []
}

/// The captures of a scope that are good until it changes, by the revision that they start from.
///
/// They are kept by those who wait for them or are being sent them, and by nobody else: a large
/// snapshot goes with its last transfer.
@MainActor
struct ScopeCaptures {
  private struct Entry {
    weak var capture: ScopeCapture?
  }

  private var entries: [UInt64?: Entry] = [:]

  subscript(base: UInt64?) -> ScopeCapture? { entries[base]?.capture }

  mutating func keep(_ capture: ScopeCapture) {
    entries = entries.filter { $0.value.capture != nil }
    entries[capture.base] = Entry(capture: capture)
  }

  var isEmpty: Bool { entries.isEmpty }

  mutating func removeAll() { entries.removeAll() }
}
