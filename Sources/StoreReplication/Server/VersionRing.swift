/// The newest versions of the root by revision, so that a client that comes back gets what changed.
///
/// Revisions are contiguous, so finding one costs O(1). A version shares with its successor all
/// that did not change, so what it holds on to is what the step from it changed: its weight. The
/// oldest go when there are too many, or when all together weigh too much.
///
/// Every action adds a version, in code that does not know the root's type. Therefore the versions
/// are in memory of the ring's own: a collection would copy each three times on its way in and out.
struct VersionRing<Root>: ~Copyable {
  /// Initialised from `first` on, `count` of them, round the end.
  private let slots: UnsafeMutablePointer<Root>
  /// What the step to each version changed, in bytes; that of the oldest does not count.
  private let weights: UnsafeMutablePointer<Int>
  private var first = 0
  private var count = 1
  private var weight = 0
  private let limit: Int
  private let weightLimit: Int
  private(set) var oldestRevision: UInt64

  /// What a version weighs at least: its own record, and the nodes on the way to a change.
  private static var leastWeight: Int { 512 }

  init(limit: Int, bytes weightLimit: Int, revision: UInt64, root: Root) {
    precondition(limit >= 1, "A ring of versions keeps at least 1, not \(limit)")
    self.limit = limit
    self.weightLimit = weightLimit
    oldestRevision = revision
    // One more than are kept: a version is added before the oldest goes.
    slots = .allocate(capacity: limit + 1)
    weights = .allocate(capacity: limit + 1)
    slots.initialize(to: root)
    weights.initialize(repeating: 0, count: limit + 1)
  }

  deinit {
    for offset in 0..<count { (slots + place(offset)).deinitialize(count: 1) }
    slots.deallocate()
    weights.deallocate()
  }

  var newestRevision: UInt64 { oldestRevision + UInt64(count) - 1 }

  /// Where the version is that has so many older ones before it.
  private func place(_ offset: Int) -> Int {
    let place = first + offset
    return place > limit ? place - limit - 1 : place
  }

  /// Adds a version.
  ///
  /// - Parameters:
  ///   - root: The root after the step.
  ///   - revision: The step's revision.
  ///   - changed: The bytes that the step changed, as far as they are known.
  mutating func append(_ root: Root, revision: UInt64, changed: Int) {
    precondition(
      revision == newestRevision + 1,
      "Revision \(revision) does not follow \(newestRevision)",
    )
    let place = place(count)
    (slots + place).initialize(to: root)
    weights[place] = max(changed, Self.leastWeight)
    weight += weights[place]
    count += 1
    while count > limit || (weight > weightLimit && count > 1) { removeOldest() }
  }

  private mutating func removeOldest() {
    (slots + first).deinitialize(count: 1)
    first = place(1)
    count -= 1
    oldestRevision += 1
    // The step away from the one that went is what it held on to.
    weight -= weights[first]
  }

  /// The root at a revision; nil when it is not kept.
  subscript(revision: UInt64) -> Root? {
    guard revision >= oldestRevision, revision <= newestRevision else { return nil }
    return slots[place(Int(revision - oldestRevision))]
  }
}
