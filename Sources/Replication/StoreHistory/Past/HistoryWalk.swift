import StoreProtocol
import StoreState

/// Goes through the records of a range, one after the other, beginning with a state.
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
  }

  /// Looks whether there is such a range.
  ///
  /// - Parameters:
  ///   - source: The past.
  ///   - revisions: Which; from the oldest one with a state before it where the first is 0.
  /// - Throws: ``HistoryError``.
  init(
    _ source: any HistorySource,
    _ revisions: ClosedRange<UInt64>,
  ) throws(HistoryError) {
    let extent = try source.extent()
    self.source = source
    // What a daemon keeps meanwhile is not waited for.
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

  /// Brings a past to the newest snapshot before the range, and hands over the records behind it.
  ///
  /// - Parameters:
  ///   - past: The past.
  ///   - body: Takes the past on by a record, and says whether it wants more.
  /// - Throws: ``HistoryError``, also what `body` throws.
  func run<Past: PastRoot>(
    _ past: inout Past,
    _ body: (inout Past, Entry) throws(HistoryError) -> Bool,
  ) throws(HistoryError) {
    var reached = try past.rewind(to: first - 1, in: source)
    try source.records(after: reached) { (part) throws(HistoryError) in
      try part.withRecords { (record, bytes) throws(HistoryError) in
        if record.revision <= reached { return true }
        guard record.revision == reached + 1 else {
          throw HistoryError.missing(reached + 1, before: record.revision)
        }
        guard record.revision <= last else { return false }
        reached = record.revision
        return try body(&past, Entry(record: record, bytes: bytes, schema: part.schema))
      }
    }
  }
}
