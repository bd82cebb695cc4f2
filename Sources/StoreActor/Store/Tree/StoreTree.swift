/// The state that all nodes of one tree of stores share: its commits and pending notices.
///
/// A commit has two phases. First it walks the tree from the root and collects notices: all nodes
/// move to the new state, and the only user code that runs is `==` and getters. Then it notifies
/// the observers, parents first. Each observer finds the new state everywhere and may send an
/// action. That is a commit of its own, and it first delivers the remaining notices.
@MainActor
@usableFromInline
package final class StoreTree {
  /// Whether another process creates the states.
  let isElsewhere: Bool
  /// Counts the commits, so that a node can detect that its last read is out of date.
  @exclusivity(unchecked) var commits = 0
  /// Whether any observer waits in the tree; otherwise commits do not walk it.
  @exclusivity(unchecked) var isWaited = false
  /// Whether notices are pending.
  @exclusivity(unchecked) private(set) var hasNotices = false
  private var notices: [StoreNotice] = []
  private var told = 0
  /// The number of nodes that commits have visited.
  @exclusivity(unchecked) package internal(set) var visits = 0
  /// The number of key paths that were evaluated to detect changes.
  package internal(set) var evaluations = 0
  /// The number of noted reads that triggers a sweep of reads without waiters.
  private var limit = 64
  private var reads = 0

  init(isElsewhere: Bool) { self.isElsewhere = isElsewhere }

  /// Adds a pending notice.
  func add(_ notice: StoreNotice) {
    notices.append(notice)
    hasNotices = true
  }

  /// Delivers the pending notices.
  package func tell() {
    while told < notices.count {
      told += 1
      notices[told - 1].tell()
    }
    notices.removeAll(keepingCapacity: true)
    told = 0
    hasNotices = false
  }

  /// Counts a noted read.
  ///
  /// From time to time it sweeps the reads without waiters. The cost is amortized O(1).
  ///
  /// - Parameter node: The node of the read.
  func countRead(at node: AnyStoreNode) {
    reads += 1
    guard reads > limit else { return }
    var root = node
    while let parent = root.parent { root = parent }
    reads = root.sweep()
    limit = max(64, reads * 2)
  }
}

/// A pending notification.
enum StoreNotice {
  /// Notifies the waiters for a change of a read.
  case read(AnyToldRead)
  /// Notifies the observers of a node.
  case event(ObserverList<StoreEvent>, StoreEvent)
  /// Notifies the observers of all commits.
  case commit(StoreObservers)

  @MainActor
  fileprivate func tell() {
    switch self {
    case .read(let read): read.tell()
    case .event(let observers, let event): observers.notify(event)
    case .commit(let observers): observers.notify()
    }
  }
}

/// An event for the observers of a node.
package enum StoreEvent: Hashable, Sendable {
  /// The memory of the state differs from before.
  case changed
  /// The node has ended: no more events follow.
  case ended(StoreEnd)
}
