package import StoreProtocol
import Synchronization

/// A history that counts the bytes that are read: the cost of a query is its scanned bytes.
package final class MeteredSource: HistorySource {
  private let source: any HistorySource
  private let count = Atomic<Int>(0)

  package init(_ source: any HistorySource) { self.source = source }

  /// The bytes of all snapshots and records that were read.
  package var bytes: Int { count.load(ordering: .relaxed) }

  package func extent() throws(HistoryError) -> HistoryExtent { try source.extent() }

  package func snapshot(upTo revision: UInt64) throws(HistoryError) -> HistoryPart? {
    let part = try source.snapshot(upTo: revision)
    count.add(part?.bytes.count ?? 0, ordering: .relaxed)
    return part
  }

  package func records(
    after revision: UInt64,
    _ take: (HistoryPart) throws(HistoryError) -> Bool,
  ) throws(HistoryError) {
    try source.records(after: revision) { (part) throws(HistoryError) in
      count.add(part.bytes.count, ordering: .relaxed)
      return try take(part)
    }
  }
}
