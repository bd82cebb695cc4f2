/// The newest versions of the root by revision, so that a client that comes back gets what changed.
///
/// Revisions are contiguous, so finding one costs O(1). The oldest goes when the limit is reached.
struct VersionRing<Root> {
  private var versions: [Root] = []
  private var firstRevision: UInt64
  private var head = 0
  private let limit: Int

  init(limit: Int, revision: UInt64, root: Root) {
    precondition(limit >= 1, "A ring of versions keeps at least 1, not \(limit)")
    self.limit = limit
    firstRevision = revision
    versions = [root]
  }

  var oldestRevision: UInt64 { firstRevision }
  var newestRevision: UInt64 { firstRevision + UInt64(versions.count) - 1 }

  mutating func append(_ root: Root, revision: UInt64) {
    precondition(
      revision == newestRevision + 1,
      "Revision \(revision) does not follow \(newestRevision)",
    )
    if versions.count < limit {
      versions.append(root)
    } else {
      versions[head] = root
      head = (head + 1) % limit
      firstRevision += 1
    }
  }

  /// The root at a revision; nil when it is not kept.
  subscript(revision: UInt64) -> Root? {
    guard revision >= firstRevision, revision <= newestRevision else { return nil }
    return versions[(head + Int(revision - firstRevision)) % versions.count]
  }
}
