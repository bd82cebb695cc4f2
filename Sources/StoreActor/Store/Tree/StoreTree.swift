/// What the nodes of one tree of stores share: how far it is, and who is to be told.
///
/// A commit has two phases. First the tree is walked from its root, and those who are to be told
/// are collected: meanwhile all nodes come to the new state, and no code of users runs but `==` and
/// getters. Then they are told, parents first. Whoever is told finds the new state everywhere, and
/// may send: that is a commit of its own, and those who are still to be told are told within it.
@MainActor
@usableFromInline
package final class StoreTree {
  /// Whether the states are made elsewhere.
  let isElsewhere: Bool
  /// Counts the commits, so that a node knows whether what it has read is of the last one.
  @exclusivity(unchecked) var commits = 0
  /// Whether anybody waits anywhere in the tree; else it is not walked.
  @exclusivity(unchecked) var isWaited = false
  /// Whether anybody is still to be told.
  @exclusivity(unchecked) private(set) var hasNotices = false
  private var notices: [StoreNotice] = []
  private var told = 0
  /// How many nodes commits have looked into.
  @exclusivity(unchecked) package internal(set) var visits = 0
  /// How many key paths were evaluated to find out what has changed.
  package internal(set) var evaluations = 0
  /// How many reads there may be before those that nobody waits for are looked for.
  private var limit = 64
  private var reads = 0

  init(isElsewhere: Bool) { self.isElsewhere = isElsewhere }

  /// Puts somebody among those who are to be told.
  func add(_ notice: StoreNotice) {
    notices.append(notice)
    hasNotices = true
  }

  /// Tells those who were collected.
  package func tell() {
    while told < notices.count {
      told += 1
      notices[told - 1].tell()
    }
    notices.removeAll(keepingCapacity: true)
    told = 0
    hasNotices = false
  }

  /// Counts a read that was noted; seldom enough to cost nothing on the average, those that nobody
  /// waits for any more are looked for.
  ///
  /// - Parameter node: Where it was noted.
  func countRead(at node: AnyStoreNode) {
    reads += 1
    guard reads > limit else { return }
    var root = node
    while let parent = root.parent { root = parent }
    reads = root.sweep()
    limit = max(64, reads * 2)
  }
}

/// Somebody who is to be told.
enum StoreNotice {
  /// Those who wait for a read to change.
  case read(AnyToldRead)
  /// Those who observe a node.
  case event(ObserverList<StoreEvent>, StoreEvent)
  /// Those who observe all commits.
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

/// What those are told who observe a node.
package enum StoreEvent: Hashable, Sendable {
  /// The state is in other memory than before.
  case changed
  /// Nothing will come any more.
  case ended(StoreEnd)
}
