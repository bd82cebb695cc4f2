/// The properties that a tree shares with all its copies: access to ids, the combination of
/// digests, and the widths of nodes.
///
/// `find` and `hash` take pointers, which have the same form in generic and in specialized code. So
/// they are specialized at the array's creation, and are as fast if unspecialized code calls them.
// Sound: it is immutable, and its closures capture only types and a key path, which is Sendable.
@usableFromInline
final class RowIdentity<ID: Hashable, Row>: @unchecked Sendable {
  /// Finds the first row with an id among candidates, one bit each; -1 if there is no such row.
  @usableFromInline
  typealias Find = (
    _ rows: UnsafePointer<Row>, _ candidates: UInt32, _ id: UnsafePointer<ID>
  ) -> Int
  /// Hashes the ids of consecutive rows; see `IDHash`.
  @usableFromInline
  typealias Hash = (
    _ rows: UnsafePointer<Row>, _ count: Int, _ seed: UInt64, _ hashes: UnsafeMutablePointer<UInt32>
  ) -> Void

  /// Reads a row's id.
  @usableFromInline let read: (Row) -> ID
  /// Returns the key path of a row's id; created on request, because that costs more than reading.
  @usableFromInline let keyPath: () -> any KeyPath<Row, ID> & Sendable
  @usableFromInline let find: Find
  @usableFromInline let hash: Hash
  @usableFromInline let seed: UInt64
  @usableFromInline let widths: TreeWidths
  @usableFromInline let digests: DigestCombination

  @inlinable
  init(
    read: @escaping (Row) -> ID,
    keyPath: @escaping () -> any KeyPath<Row, ID> & Sendable,
    find: @escaping Find,
    hash: @escaping Hash,
    widths: TreeWidths,
    digests: DigestCombination,
  ) {
    self.read = read
    self.keyPath = keyPath
    self.find = find
    self.hash = hash
    self.widths = widths
    self.digests = digests
    seed = IDHash.seed
  }

  /// Implements `find` by a closure that checks whether the row at a place has the id.
  @inlinable @inline(__always)
  static func first(among candidates: UInt32, _ hasID: (Int) -> Bool) -> Int {
    var candidates = candidates
    while candidates != 0 {
      let place = candidates.trailingZeroBitCount
      if hasID(place) { return place }
      candidates &= candidates &- 1
    }
    return -1
  }

  /// Implements `hash` by a closure that reads the id of the row at a place.
  @inlinable @inline(__always)
  static func hash(
    _ count: Int,
    _ seed: UInt64,
    _ hashes: UnsafeMutablePointer<UInt32>,
    _ read: (Int) -> ID,
  ) {
    for place in 0..<count {
      hashes[place] = withUnsafePointer(to: read(place)) { IDHash.hash($0, seed: seed) }
    }
  }
}

/// The combination of the rows' digests into the digest of a tree.
@usableFromInline
enum DigestCombination: Sendable {
  /// A polynomial, in which the order of the rows matters.
  case ordered
  /// A sum, which is independent of the order.
  case unordered
}
