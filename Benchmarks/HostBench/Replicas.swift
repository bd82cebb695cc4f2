import StoreReplication
import StoreState
import Workspace

/// Counts what comes, and keeps nothing.
@MainActor
class CountingReplica: Replica {
  private(set) var isSettled = false
  private(set) var deltas = 0

  /// Nobody's: it serves until the first bookmark.
  var digest: Digest { Counter.State?.none.digest }

  func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {}

  func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) { deltas += 1 }

  var encoding: [UInt8] { Counter.State?.none.encoded() }

  var isPresent: Bool { true }

  func show(revision: UInt64) { isSettled = true }

  func announce() {}

  func received(_: PublishedMessage.Output) {}

  func statusChanged(_ status: ScopeStatus) {}
}

/// A copy of the counter.
@MainActor
final class CounterReplica: CountingReplica {
  private var state: Counter.State?

  override var digest: Digest { state.digest }

  override func reset(to snapshot: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    state = try Counter.State?(encoded: snapshot)
  }

  override func apply(_ delta: ArraySlice<UInt8>, revision: UInt64) throws(CodecError) {
    state = try state.applying(delta: delta)
    try super.apply(delta, revision: revision)
  }
}
