@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// Writes the delta between two identified arrays of generic values.
///
/// Rows are matched by their ids' encodings, and as few of them move as possible.
struct GenericRowDifference {
  private let old: [GenericValue]
  private let new: [GenericValue]
  private let oldIDs: [GenericValue]
  private let newIDs: [GenericValue]
  /// The position of each id.
  private let oldPlaces: [GenericValue: Int]
  private let newPlaces: [GenericValue: Int]

  init(old: [GenericValue], new: [GenericValue], field: String) throws(CodecError) {
    self.old = old
    self.new = new
    oldIDs = try Self.ids(of: old, field)
    newIDs = try Self.ids(of: new, field)
    oldPlaces = Self.places(oldIDs)
    newPlaces = Self.places(newIDs)
  }

  private static func ids(
    of rows: [GenericValue],
    _ field: String,
  ) throws(CodecError) -> [GenericValue] {
    var ids: [GenericValue] = []
    ids.reserveCapacity(rows.count)
    for row in rows {
      guard let id = row[field: field] else {
        throw CodecError(.missingField, "the field \"\(field)\" is missing")
      }
      ids.append(id)
    }
    return ids
  }

  private static func places(_ ids: [GenericValue]) -> [GenericValue: Int] {
    Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  func encode(
    _ element: Schema,
    _ difference: GenericDifference,
    to encoder: inout CBOREncoder,
  ) throws(CodecError) {
    let removed = oldIDs.filter { newPlaces[$0] == nil }
    let inserted = newIDs.indices.filter { oldPlaces[newIDs[$0]] == nil }
    let moved = moved()
    let changed = newIDs.indices.filter { index in
      oldPlaces[newIDs[index]].map { old[$0] != new[index] } ?? false
    }
    let counts = [removed.count, moved.count, inserted.count, changed.count]
    encoder.mapHeader(counts.count { $0 > 0 })
    begin(0, removed.count, &encoder)
    for id in removed { id.encode(to: &encoder) }
    begin(1, moved.count * 2, &encoder)
    for index in moved {
      encoder.encode(unsigned: UInt64(index))
      newIDs[index].encode(to: &encoder)
    }
    begin(2, inserted.count * 2, &encoder)
    for index in inserted {
      encoder.encode(unsigned: UInt64(index))
      new[index].encode(to: &encoder)
    }
    begin(3, changed.count * 2, &encoder)
    for index in changed {
      guard let place = oldPlaces[newIDs[index]] else { continue }
      newIDs[index].encode(to: &encoder)
      try difference.encode(new[index], from: old[place], element, to: &encoder)
    }
  }

  /// Positions in the new array of the rows that moved: all matched ones except a longest run whose
  /// order is the same before and after.
  private func moved() -> [Int] {
    let shared = min(oldIDs.count, newIDs.count)
    var prefix = 0
    while prefix < shared, oldIDs[prefix] == newIDs[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < shared - prefix,
      oldIDs[oldIDs.count - 1 - suffix] == newIDs[newIDs.count - 1 - suffix]
    {
      suffix += 1
    }
    let middle = (prefix..<(newIDs.count - suffix)).filter { oldPlaces[newIDs[$0]] != nil }
    let staying = LongestIncreasingRun.indices(of: middle.map { oldPlaces[newIDs[$0]] ?? 0 })
    return middle.indices.filter { !staying.contains($0) }.map { middle[$0] }
  }

  private func begin(_ part: UInt64, _ items: Int, _ encoder: inout CBOREncoder) {
    guard items > 0 else { return }
    encoder.encode(unsigned: part)
    encoder.arrayHeader(items)
  }
}
