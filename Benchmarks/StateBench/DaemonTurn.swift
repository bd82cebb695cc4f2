import Foundation
import StoreState

/// A daemon's work for one action that changes one field of one random row: it changes the row,
/// encodes the delta from the previous version, updates the digest and keeps the version.
struct DaemonTurn {
  private var rows: IdentifiedArrayOf<BenchRow>
  private var versions: [IdentifiedArrayOf<BenchRow>] = []
  private var random = BenchRandom(7)
  private let ids: [UUID]
  private var next = 0
  private(set) var bytes = 0

  init(rows count: Int, versions: Int = 256) {
    rows = IdentifiedArray(uniqueElements: BenchRow.rows(count))
    ids = Array(rows.ids)
    self.versions = Array(repeating: rows, count: versions)
    _ = rows._$digest
  }

  mutating func run(_ count: Int) {
    for _ in 0..<count {
      let id = ids[Int(random.next() % UInt64(ids.count))]
      let old = rows
      rows[id: id]?.isCompleted.toggle()
      var encoder = CBOREncoder()
      if rows.encodeDelta(from: old, to: &encoder) { bytes += encoder.bytes.count }
      use(rows._$digest)
      versions[next] = old
      next = (next + 1) % versions.count
    }
  }
}
