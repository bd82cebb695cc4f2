import GenericState
package import StoreProtocol
import StoreState

/// Answers queries by reading the past, on any thread.
///
/// A caller that reads the log by pages keeps this value: a page begins at the end of the last one.
package struct PastReader<Root: PastRoot> {
  private let source: any HistorySource
  package private(set) var root: Root
  /// The revision of the root's state at the end of the log's last page.
  private var reached: UInt64?
  private let limits: PastLimits
  private let telling: PastTelling

  package init(
    _ source: any HistorySource,
    _ root: Root,
    limits: PastLimits = PastLimits(),
    telling: PastTelling,
  ) {
    self.source = source
    self.root = root
    self.limits = limits
    self.telling = telling
  }

  /// Answers a query.
  package mutating func answer(_ query: HistoryQuery) -> HistoryAnswer {
    do throws(HistoryError) {
      return try source.steadily { (extent) throws(HistoryError) in
        switch query {
        case .log(let after, let count, let scope, let client):
          try log(extent, after: after, count: count, scope: scope, client: client)
        case .state(let revision, _): try state(extent, at: revision)
        case .verify: try verify(extent)
        }
      }
    } catch {
      return .failed(error)
    }
  }

  // MARK: The log

  private mutating func log(
    _ extent: HistoryExtent,
    after: UInt64,
    count: UInt64,
    scope: String?,
    client: Identifier?,
  ) throws(HistoryError) -> HistoryAnswer {
    var (page, isAtEnd) = (Page(next: max(after, extent.beforeRecords)), true)
    // Followers of the log poll it also without new records. These calls read no state.
    guard page.next < extent.newest else {
      return .log(entries: [], next: page.next, end: extent.newest)
    }
    // The scopes that a record changed follow from the states before and after it.
    var reached = try Self.withoutDamage(scope) { () throws(HistoryError) in
      try stateBefore(page.next, extent)
    }
    let start = page.next
    let most = min(count, UInt64(limits.entries))
    do throws(HistoryError) {
      try source.records(after: reached ?? page.next) { (part) throws(HistoryError) in
        try part.withRecords { (record, _) throws(HistoryError) in
          let before = record.revision - 1
          if reached == nil, extent.snapshots.contains(before) {
            reached = try Self.withoutDamage(scope) { () throws(HistoryError) in
              try root.rewind(to: before, in: source)
            }
            // The records from an older snapshot to this revision were passed already.
            if reached != before { reached = nil }
          }
          guard record.revision > reached ?? page.next else { return true }
          let isAsked = record.revision > page.next
          var changed: [String]?
          if let before = reached {
            changed = try advance(record, part.schema, behind: before, naming: isAsked)
            reached = record.revision
          }
          guard isAsked else { return true }
          page.next = record.revision
          page.scanned += 1
          let isNamed = scope == nil || changed?.contains(where: { $0 == scope }) == true
          if record.isOf(client), isNamed,
            let entry = record.entry(changed: changed, limits, telling)
          {
            page.entries.append(entry.value)
            page.bytes += entry.bytes
          }
          isAtEnd = page.hasRoom(most, limits)
          return isAtEnd
        }
      }
      // A snapshot may be newer than the last record of the log.
      if isAtEnd { page.next = max(page.next, extent.newest) }
    } catch {
      // The next query, after the readable part, receives the error.
      guard page.next > start else { throw error }
      reached = nil
    }
    self.reached = reached
    return .log(entries: page.entries, next: page.next, end: extent.newest)
  }

  /// Moves to the state of a revision or an earlier one: the last page's, or a nearer snapshot's.
  ///
  /// - Returns: Its revision; nil if there is no state so old.
  private mutating func stateBefore(
    _ revision: UInt64,
    _ extent: HistoryExtent,
  ) throws(HistoryError) -> UInt64? {
    // If reading fails midway, the root's state is unknown.
    defer { reached = nil }
    // Records after it may have been removed since the last page.
    if let reached, reached <= revision, reached >= extent.beforeRecords,
      !extent.snapshots.contains(where: { $0 > reached && $0 <= revision })
    {
      return reached
    }
    guard let oldest = extent.oldestState, oldest <= revision else { return nil }
    return try root.rewind(to: revision, in: source)
  }

  /// Looks for a state; nil if it is damaged and no scope is requested.
  ///
  /// Only states show the scopes that a record changed. The log without them needs no state.
  private static func withoutDamage(
    _ scope: String?,
    _ body: () throws(HistoryError) -> UInt64?,
  ) throws(HistoryError) -> UInt64? {
    do throws(HistoryError) {
      return try body()
    } catch {
      guard error.code == .corrupt, scope == nil else { throw error }
      return nil
    }
  }

  private struct Page {
    var next: UInt64
    var entries: [GenericValue] = []
    var bytes = 0
    var scanned = 0

    func hasRoom(_ most: UInt64, _ limits: PastLimits) -> Bool {
      entries.count < most && bytes < limits.bytes && scanned < limits.scanned
    }
  }

  // MARK: States

  private mutating func state(
    _ extent: HistoryExtent,
    at revision: UInt64,
  ) throws(HistoryError) -> HistoryAnswer {
    reached = nil
    guard revision <= extent.newest else {
      throw HistoryError.future(revision, newest: extent.newest)
    }
    guard let oldest = extent.oldestState, revision >= oldest else {
      throw HistoryError.gone(revision, extent)
    }
    try go(from: try root.rewind(to: revision, in: source), to: revision)
    let bytes = try root.scope()
    guard bytes.count <= limits.stateBytes else {
      throw HistoryError(
        .unavailable,
        "The state has \(bytes.count) bytes, and at most \(limits.stateBytes) are sent. "
          + "Ask for a part of it, or read the daemon's data directory with --data.",
      )
    }
    return .state(bytes[...])
  }

  /// Applies the records after one revision up to another.
  private mutating func go(from start: UInt64, to end: UInt64) throws(HistoryError) {
    guard start < end else { return }
    var reached = start
    try source.records(after: start) { (part) throws(HistoryError) in
      try part.withRecords { (record, _) throws(HistoryError) in
        guard record.revision > reached else { return true }
        _ = try advance(record, part.schema, behind: reached, naming: false)
        reached = record.revision
        return reached < end
      }
    }
    guard reached == end else { throw HistoryError.missing(reached + 1, before: end) }
  }

  /// Advances by one record, which must be that of the next revision.
  private mutating func advance(
    _ record: JournalRecord,
    _ schema: SchemaDocument,
    behind revision: UInt64,
    naming: Bool,
  ) throws(HistoryError) -> [String] {
    guard record.revision == revision + 1 else {
      throw HistoryError.missing(revision + 1, before: record.revision)
    }
    return try root.advance(record, schema, naming: naming, in: source)
  }

  // MARK: Verifying

  private mutating func verify(_ extent: HistoryExtent) throws(HistoryError) -> HistoryAnswer {
    reached = nil
    var snapshots = extent.snapshots[...]
    guard let first = snapshots.popFirst() else { throw HistoryError.withoutState() }
    try checkOldest(first, of: extent)
    var (revision, records, checked) = (first, UInt64(0), UInt64(1))
    try source.records(after: extent.beforeRecords) { (part) throws(HistoryError) in
      try part.withRecords { (record, _) throws(HistoryError) in
        records += 1
        try record.checkAction()
        guard record.revision > first else { return true }
        _ = try advance(record, part.schema, behind: revision, naming: false)
        revision = record.revision
        if snapshots.first == revision {
          snapshots.removeFirst()
          if try compare(with: revision) { checked += 1 }
        }
        return true
      }
    }
    return .verified(first: first, last: revision, records: records, snapshots: checked)
  }

  /// Moves to the oldest snapshot; throws if it cannot be read.
  private mutating func checkOldest(
    _ first: UInt64,
    of extent: HistoryExtent,
  ) throws(HistoryError) {
    do throws(HistoryError) {
      if try root.rewind(to: first, in: source) == first { return }
    } catch {
      guard error.code == .corrupt else { throw error }
    }
    guard let newest = extent.snapshots.last, try source.snapshot(upTo: newest) != nil else {
      throw HistoryError.withoutState()
    }
    throw HistoryError(
      .corrupt,
      "The snapshot of revision \(first) cannot be read. Restore a backup.",
    )
  }

  /// Compares the state after the records with the snapshot of its revision.
  ///
  /// Another build's snapshot is read without comparing it if that requires the build's types.
  ///
  /// - Returns: False if the snapshot was removed meanwhile.
  private mutating func compare(with revision: UInt64) throws(HistoryError) -> Bool {
    let part = try source.snapshot(upTo: revision)
    guard let part, try part.snapshotRevision() == revision else {
      // A running daemon removes its older snapshots.
      guard try source.extent().snapshots.contains(revision) else { return false }
      throw HistoryError(.corrupt, "The snapshot of revision \(revision) cannot be read.")
    }
    let digest = root.reads(part.schema) ? root.digest() : nil
    _ = try root.take(part)
    guard digest == nil || digest == root.digest() else {
      throw HistoryError(
        .corrupt,
        "The snapshot of revision \(revision) differs from the result of the records before it.",
      )
    }
    return true
  }
}

extension PastReader: Sendable where Root: Sendable {}

/// The disclosure of the past that a client may receive.
package enum PastTelling: Sendable {
  /// Everything, for readers of the files.
  case all
  /// Everything but the ids of clients, whose holders could impersonate them.
  case causes
  /// The changes to scopes that they may see, and the names of actions of these scopes.
  case seen(SeenActions)
}

/// The limits of one answer.
package struct PastLimits: Hashable, Sendable {
  /// The most entries of the log.
  package var entries = 2048
  /// The most bytes of these entries.
  package var bytes = 256 << 10
  /// The most records that are scanned for one answer.
  package var scanned = 200_000
  /// The most bytes of an action in an entry.
  package var actionBytes = 16 << 10
  /// The most levels of an action in an entry: an answer has further levels around it.
  package var actionLevels = 100
  /// The most bytes of a state.
  package var stateBytes = 8 << 20

  package init() {}
}

extension PastLimits {
  /// For a reader of a directory, which uses only its own memory.
  package static var unlimited: PastLimits {
    var limits = PastLimits()
    limits.scanned = .max
    limits.actionBytes = .max
    limits.actionLevels = CBOR.maximumDepth
    limits.stateBytes = .max
    return limits
  }
}
