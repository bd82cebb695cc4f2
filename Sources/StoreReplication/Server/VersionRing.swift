/// The versions of the root before the newest, by revision, so that a client that comes back gets
/// what changed.
///
/// Revisions are contiguous, so finding one costs O(1). A version shares with its successor all
/// that did not change, so what it holds on to is what the step from it changed: its weight. The
/// oldest go when there are too many, or when all together weigh too much.
///
/// Every action adds a version, in code that does not know the root's type. Therefore the versions
/// are in memory of the ring's own, and moved into it: a collection would copy each on its way. The
/// ring is an object because an object knows its type: for a value, such code looks metadata up.
///
/// What every action touches is not checked for overlapping accesses, as in ``ReplicaServer``.
final class VersionRing<Root> {
  /// Initialised from `first` on, `count` of them, round the end.
  private let slots: UnsafeMutablePointer<Root>
  private let weights: UnsafeMutablePointer<Int>
  private let capacity: Int
  @exclusivity(unchecked) private var first = 0
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var weight = 0
  private let weightLimit: Int
  @exclusivity(unchecked) private(set) var oldestRevision: UInt64

  /// What a version weighs at least: its own record, and the nodes on the way to a change.
  private static var leastWeight: Int { 512 }

  /// A ring in which there is nothing yet.
  ///
  /// - Parameters:
  ///   - limit: How many versions are kept, the newest, which is elsewhere, among them.
  ///   - weightLimit: The bytes that they hold on to.
  ///   - revision: The newest version's.
  init(limit: Int, bytes weightLimit: Int, revision: UInt64) {
    precondition(limit >= 1, "A ring of versions keeps at least 1, not \(limit)")
    self.weightLimit = weightLimit
    oldestRevision = revision
    // One more than are kept besides the newest: a version is added before the oldest goes.
    capacity = limit
    slots = .allocate(capacity: capacity)
    weights = .allocate(capacity: capacity)
  }

  deinit {
    for offset in 0..<count { (slots + place(offset)).deinitialize(count: 1) }
    slots.deallocate()
    weights.deallocate()
  }

  /// The revision of the newest version, which is not in the ring.
  var newestRevision: UInt64 { oldestRevision + UInt64(count) }

  /// Where the version is that has so many older ones before it.
  private func place(_ offset: Int) -> Int {
    let place = first + offset
    return place >= capacity ? place - capacity : place
  }

  /// Adds the version that was the newest until now.
  ///
  /// - Parameters:
  ///   - root: Where it is; it is moved out of there.
  ///   - revision: Its revision.
  ///   - changed: The bytes that the step away from it changed, as far as they are known.
  func append(
    moving root: UnsafeMutablePointer<Root>,
    revision: UInt64,
    changed: Int,
  ) {
    precondition(revision == newestRevision, "Revision \(revision) is not \(newestRevision)")
    let place = place(count)
    (slots + place).moveInitialize(from: root, count: 1)
    weights[place] = max(changed, Self.leastWeight)
    weight += weights[place]
    count += 1
    while count >= capacity || (weight > weightLimit && count > 0) { removeOldest() }
  }

  private func removeOldest() {
    (slots + first).deinitialize(count: 1)
    weight -= weights[first]
    first = place(1)
    count -= 1
    oldestRevision += 1
  }

  /// The root at a revision; nil when it is not kept, or is the newest.
  subscript(revision: UInt64) -> Root? {
    guard revision >= oldestRevision, revision < newestRevision else { return nil }
    return slots[place(Int(revision - oldestRevision))]
  }
}
