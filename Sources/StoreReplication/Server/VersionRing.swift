import DequeModule

/// The newest versions of the root by revision, so that a client that comes back gets what changed.
///
/// Revisions are contiguous, so finding one costs O(1). A version shares with its successor all
/// that did not change, so what it holds on to is what the step from it changed: its weight. The
/// oldest go when there are too many, or when all together weigh too much.
struct VersionRing<Root> {
  private struct Version {
    let root: Root
    /// What the step to it changed, in bytes.
    let weight: Int
  }

  private var versions: Deque<Version>
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
    versions = [Version(root: root, weight: 0)]
  }

  var newestRevision: UInt64 { oldestRevision + UInt64(versions.count) - 1 }

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
    let version = Version(root: root, weight: max(changed, Self.leastWeight))
    versions.append(version)
    weight += version.weight
    while versions.count > limit || (weight > weightLimit && versions.count > 1) {
      versions.removeFirst()
      oldestRevision += 1
      // The step away from the one that went is what it held on to.
      weight -= versions[0].weight
      versions[0] = Version(root: versions[0].root, weight: 0)
    }
  }

  /// The root at a revision; nil when it is not kept.
  subscript(revision: UInt64) -> Root? {
    guard revision >= oldestRevision, revision <= newestRevision else { return nil }
    return versions[Int(revision - oldestRevision)].root
  }
}
