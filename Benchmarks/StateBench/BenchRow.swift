import Foundation
import StoreState

/// A typical row of a feature: an id, a title that is too long for a small string, a flag.
struct BenchRow: ReplicatedRecord, Identifiable, Hashable {
  var id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var title = ""
  var isCompleted = false

  static let layout = RecordLayout<BenchRow>(
    "BenchRow",
    [
      .field("id", \.id),
      .field("title", \.title),
      .field("isCompleted", \.isCompleted),
    ],
  )

  init() {}

  init(_ number: Int) {
    var random = BenchRandom(UInt64(number))
    let (high, low) = (random.next(), random.next())
    withUnsafeMutableBytes(of: &id) { bytes in
      bytes.storeBytes(of: high, as: UInt64.self)
      bytes.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
    }
    title = "What to do as number \(number)"
  }

  static func rows(_ count: Int) -> [BenchRow] { (0..<count).map { BenchRow($0) } }
}

/// Pseudorandom numbers, the same in each run.
struct BenchRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// A plain array with a dictionary: the reference for small arrays.
struct PlainRows {
  var rows: [BenchRow] = []
  var places: [UUID: Int] = [:]

  init(_ elements: [BenchRow]) {
    rows.reserveCapacity(elements.count)
    places.reserveCapacity(elements.count)
    for element in elements { append(element) }
  }

  mutating func append(_ row: BenchRow) {
    guard places[row.id] == nil else { return }
    places[row.id] = rows.count
    rows.append(row)
  }

  subscript(id id: UUID) -> BenchRow? {
    get { places[id].map { rows[$0] } }
    _modify {
      guard let place = places[id] else {
        var none: BenchRow?
        yield &none
        return
      }
      var row: BenchRow? = rows[place]
      yield &row
      if let row { rows[place] = row }
    }
  }

  mutating func remove(id: UUID) {
    guard let place = places.removeValue(forKey: id) else { return }
    rows.remove(at: place)
    for index in place..<rows.count { places[rows[index].id] = index }
  }
}
