import StoreActor
import StoreProtocol
import StoreState

/// Reads the records of a range in order, beginning with the state before it.
struct HistoryWalk {
  private let source: any HistorySource
  private let last: UInt64
  /// The first revision of the range.
  let first: UInt64

  /// A record, its bytes, and the schema of the build that wrote it.
  struct Entry {
    var record: JournalRecord
    var bytes: ArraySlice<UInt8>
    var schema: SchemaDocument
    /// The schedules before the record, by their numbers.
    var schedules: [UInt64: DurableTimer]
  }

  /// Checks that the range exists.
  ///
  /// - Parameters:
  ///   - source: The past.
  ///   - revisions: The range; if it begins with 0, from the one after the oldest snapshot.
  /// - Throws: ``HistoryError``.
  init(
    _ source: any HistorySource,
    _ revisions: ClosedRange<UInt64>,
  ) throws(HistoryError) {
    let extent = try source.extent()
    self.source = source
    // Later records of a running daemon are not awaited.
    last = min(revisions.upperBound, extent.newest)
    guard let oldest = extent.oldestState else { throw HistoryError.withoutState() }
    first = max(revisions.lowerBound, oldest + 1)
    guard revisions.lowerBound <= extent.newest else {
      throw HistoryError.future(revisions.lowerBound, newest: extent.newest)
    }
    guard revisions.lowerBound == 0 || revisions.lowerBound == first else {
      throw HistoryError(
        .gone,
        "Revision \(revisions.lowerBound) cannot be run any more: the first that can is \(first).",
      )
    }
  }

  /// Moves a past to the newest snapshot before the range, and passes later records to `body`.
  ///
  /// - Parameters:
  ///   - past: The past.
  ///   - body: Advances the past by a record, and returns whether it needs another one.
  /// - Throws: ``HistoryError``, also the errors of `body`.
  func run<Past: PastRoot>(
    _ past: inout Past,
    _ body: (inout Past, Entry) throws(HistoryError) -> Bool,
  ) throws(HistoryError) {
    var kept = KeptHistory()
    var reached = try past.rewind(to: first - 1, in: source) { kept.timers = $0.timers }
    try source.records(after: reached) { (part) throws(HistoryError) in
      try part.withRecords { (record, bytes) throws(HistoryError) in
        if record.revision <= reached { return true }
        guard record.revision == reached + 1 else {
          throw HistoryError.missing(reached + 1, before: record.revision)
        }
        guard record.revision <= last else { return false }
        reached = record.revision
        // The entry is released before the schedules change, so they are not copied.
        defer { kept.noteSchedules(record.details) }
        return try body(
          &past,
          Entry(record: record, bytes: bytes, schema: part.schema, schedules: kept.timers),
        )
      }
    }
  }
}
