/// The versions of the root before the newest, by revision, so that a client that reconnects
/// receives only the changes.
///
/// Revisions are contiguous, so finding one costs O(1). A version shares all unchanged parts with
/// its successor, so it retains only the parts that the step from it changed: its weight. The
/// oldest versions are dropped when there are too many, or when their total weight is too large.
///
/// Every action adds a version, in code that does not know the root's type. Therefore the ring has
/// memory of its own, and versions are moved into it: a collection would copy each of them. The
/// ring is an object because an object knows its type: for a value, such code looks metadata up.
///
/// The properties that every action touches are not checked for overlapping accesses, as
/// in ``ReplicaServer``.
final class VersionRing<Root> {
  /// `count` slots are initialised, from `first` on, around the end.
  private var slots: UnsafeMutablePointer<Root>
  private var weights: UnsafeMutablePointer<Int>
  private var capacity: Int
  private let limit: Int
  @exclusivity(unchecked) private var first = 0
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var weight = 0
  private let weightLimit: Int
  @exclusivity(unchecked) private(set) var oldestRevision: UInt64
  /// Versions from this one on are kept regardless of their number and weight.
  @exclusivity(unchecked) private var neededRevision = UInt64.max

  /// Versions from this one on are kept regardless of their number, as long as their weight fits.
  @exclusivity(unchecked) private var heldRevision = UInt64.max

  /// The least weight of a version, in bytes: its own record, and the nodes on the path to
  /// a change.
  private static var leastWeight: Int { 512 }

  /// Creates an empty ring.
  ///
  /// - Parameters:
  ///   - limit: The number of kept versions, including the newest, which is stored elsewhere.
  ///   - weightLimit: The bytes that they may retain.
  ///   - revision: The newest version's revision.
  init(limit: Int, bytes weightLimit: Int, revision: UInt64) {
    precondition(limit >= 1, "A ring of versions keeps at least 1, not \(limit)")
    self.weightLimit = weightLimit
    oldestRevision = revision
    self.limit = limit
    // One more than the kept versions besides the newest: a version is added before the oldest
    // is removed.
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

  /// The slot of the version that has this number of older ones before it.
  private func place(_ offset: Int) -> Int {
    let place = first + offset
    return place >= capacity ? place - capacity : place
  }

  /// Adds the version that was the newest until now.
  ///
  /// - Parameters:
  ///   - root: The address of the root, which is moved out.
  ///   - revision: Its revision.
  ///   - changed: The bytes, as far as known, that the step from this version changed.
  func append(
    moving root: UnsafeMutablePointer<Root>,
    revision: UInt64,
    changed: Int,
  ) {
    precondition(revision == newestRevision, "Revision \(revision) is not \(newestRevision)")
    if count == capacity { grow() }
    let place = place(count)
    (slots + place).moveInitialize(from: root, count: 1)
    weights[place] = max(changed, Self.leastWeight)
    weight += weights[place]
    count += 1
    removeSurplus()
  }

  /// Adds the version that was the newest until now, by value.
  func append(_ root: Root, revision: UInt64, changed: Int) {
    withUnsafeTemporaryAllocation(of: Root.self, capacity: 1) { place in
      place.initializeElement(at: 0, to: root)
      guard let place = place.baseAddress else { return }
      append(moving: place, revision: revision, changed: changed)
    }
  }

  /// Keeps all versions from one on, until this is called with a later one.
  func keep(from revision: UInt64) {
    neededRevision = revision
    removeSurplus()
  }

  /// Keeps all versions from now on whose weight fits, regardless of their number, for clients that
  /// return after a restart.
  func hold() { heldRevision = oldestRevision }

  /// Ends ``hold()`` for some of the oldest versions: to free all at once takes long.
  func letGo(atMost versions: UInt64) {
    guard heldRevision != .max else { return }
    heldRevision = max(heldRevision, oldestRevision) + versions
    if heldRevision >= newestRevision { heldRevision = .max }
    removeSurplus()
  }

  private func removeSurplus() {
    while count >= limit && oldestRevision < heldRevision || weight > weightLimit && count > 0 {
      guard oldestRevision < neededRevision else { return }
      removeOldest()
    }
  }

  /// Grows beyond the limit, when all versions are needed.
  private func grow() {
    let (oldSlots, oldWeights, oldFirst) = (slots, weights, first)
    slots = .allocate(capacity: 2 * capacity)
    weights = .allocate(capacity: 2 * capacity)
    let untilEnd = min(count, capacity - oldFirst)
    slots.moveInitialize(from: oldSlots + oldFirst, count: untilEnd)
    (slots + untilEnd).moveInitialize(from: oldSlots, count: count - untilEnd)
    weights.moveInitialize(from: oldWeights + oldFirst, count: untilEnd)
    (weights + untilEnd).moveInitialize(from: oldWeights, count: count - untilEnd)
    oldSlots.deallocate()
    oldWeights.deallocate()
    capacity *= 2
    first = 0
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

  /// The address of the root at a revision, valid until the ring changes; nil if the revision is
  /// not kept, or is the newest.
  func place(of revision: UInt64) -> UnsafePointer<Root>? {
    guard revision >= oldestRevision, revision < newestRevision else { return nil }
    return UnsafePointer(slots + place(Int(revision - oldestRevision)))
  }
}
