package import StoreProtocol
package import StoreState

/// Where the past is read, besides the daemon that goes on.
///
/// Calls block; they are made on one thread at a time, and never on the main one.
package protocol HistorySource: AnyObject, Sendable {
  /// The revisions that there are now.
  func extent() throws(HistoryError) -> HistoryExtent

  /// The newest snapshot of a revision or an earlier one that can be read; nil for none.
  func snapshot(upTo revision: UInt64) throws(HistoryError) -> HistoryPart?

  /// Hands over batches of records, oldest first, until there are no more or `take` has enough.
  ///
  /// - Parameters:
  ///   - revision: The first batch ends behind this revision.
  ///   - take: Takes a batch, and says whether it wants more.
  /// - Throws: ``HistoryError``, also what `take` throws.
  func records(
    after revision: UInt64,
    _ take: (HistoryPart) throws(HistoryError) -> Bool,
  ) throws(HistoryError)
}

extension HistorySource {
  /// How often something is begun anew, because history was let go of meanwhile.
  private var attempts: Int { 3 }

  /// Reads something in several steps, and begins anew where history was let go of in between.
  ///
  /// - Parameter body: Reads it, of what there is at first.
  /// - Returns: What `body` has read.
  /// - Throws: ``HistoryError``.
  func steadily<Value>(
    _ body: (HistoryExtent) throws(HistoryError) -> Value
  ) throws(HistoryError) -> Value {
    for _ in 0..<attempts {
      let extent = try self.extent()
      do throws(HistoryError) {
        return try body(extent)
      } catch {
        guard try self.extent().hasLetGo(since: extent) else { throw error }
      }
    }
    throw HistoryError(
      .unavailable,
      "Old history is let go of faster than it is read: \(attempts) times it went meanwhile. "
        + "Try again when less is sent.",
    )
  }
}

/// The revisions of which something is kept.
package struct HistoryExtent: Hashable, Sendable {
  /// The oldest snapshot: nothing before it can be shown as a state; nil where there is none.
  package var oldestState: UInt64?
  /// The revision before the first record.
  package var beforeRecords: UInt64
  package var newest: UInt64
  /// The revisions of the snapshots, oldest first.
  package var snapshots: [UInt64]

  package init(
    oldestState: UInt64?,
    beforeRecords: UInt64,
    newest: UInt64,
    snapshots: [UInt64],
  ) {
    self.oldestState = oldestState
    self.beforeRecords = beforeRecords
    self.newest = newest
    self.snapshots = snapshots
  }

  /// Whether there are other snapshots or oldest records than there were.
  package func hasLetGo(since other: HistoryExtent) -> Bool {
    snapshots != other.snapshots || beforeRecords != other.beforeRecords
  }
}

/// Whose a history is, besides its snapshots and records.
package struct HistoryHeading: Hashable, Sendable {
  /// The name of the root's type.
  package var root: String
  package var epoch: UInt64
  /// Whether the daemon that wrote it has said that it ended, behind all of it.
  package var wasStopped: Bool

  package init(root: String, epoch: UInt64, wasStopped: Bool) {
    self.root = root
    self.epoch = epoch
    self.wasStopped = wasStopped
  }
}

/// A root's past as it is brought back step by step: with its types, or without.
package protocol PastRoot {
  /// Goes to the state of a snapshot.
  mutating func take(
    snapshot root: ArraySlice<UInt8>,
    _ schema: SchemaDocument,
  )
    throws(CodecError)

  /// Whether what a build writes can be compared with the state, and says all that becomes of it.
  ///
  /// Else it takes that build's types, or its own snapshot.
  func reads(_ schema: SchemaDocument) -> Bool

  /// Goes one revision on.
  ///
  /// - Returns: The names of what changed.
  mutating func apply(
    _ delta: [UInt8],
    _ schema: SchemaDocument,
    naming: Bool,
  ) throws(CodecError) -> [String]

  /// The state of the scope that was asked for, an optional, where it is one.
  func scope() throws(HistoryError) -> [UInt8]

  /// A digest of the whole state.
  func digest() -> Digest
}

extension HistoryError {
  /// A revision is not there, and those behind it are.
  static func missing(_ revision: UInt64, before found: UInt64) -> HistoryError {
    HistoryError(
      .corrupt,
      "Revision \(revision) is missing: \(found) follows \(revision - 1).",
    )
  }

  /// A revision is still to come.
  package static func future(_ revision: UInt64, newest: UInt64) -> HistoryError {
    HistoryError(
      .future,
      "Revision \(revision) is still to come: the newest one that is kept is \(newest).",
    )
  }

  /// The state of a revision is not kept any more.
  package static func gone(_ revision: UInt64, _ extent: HistoryExtent) -> HistoryError {
    guard let oldest = extent.oldestState else { return withoutState() }
    return HistoryError(
      .gone,
      "Revision \(revision) is not kept any more: the oldest state that can be shown is that of "
        + "revision \(oldest), the newest that of \(extent.newest).",
    )
  }

  /// There is no state, and what can be done.
  ///
  /// - Parameter note: What is known besides, as sentences with a space after each.
  /// - Returns: The error.
  package static func withoutState(noting note: String = "") -> HistoryError {
    HistoryError(
      .corrupt,
      "\(note)No snapshot is readable that records continue, and records have changes only. "
        + "Restore a backup. "
        + "storectl log lists the records. If they begin with revision 1, the program that wrote "
        + "them may go on from them with --from-initial-state; storectl salvage copies all that "
        + "can be read.",
    )
  }
}
