/// What a tree and all its copies have in common: where rows have their ids, how digests combine,
/// and how wide nodes are.
///
/// `find` and `hash` take pointers, which they get in the same way whether the caller knows the
/// types or not. So they are compiled for their types where an array is made, and are as quick
/// when code calls them that is not.
// Sound: nothing in it changes, and its closures hold nothing but types and a key path, which is
// Sendable.
@usableFromInline
final class RowIdentity<ID: Hashable, Row>: @unchecked Sendable {
  /// Finds the first of some rows, one bit each, that has an id; -1 when none has.
  @usableFromInline
  typealias Find = (
    _ rows: UnsafePointer<Row>, _ candidates: UInt32, _ id: UnsafePointer<ID>
  ) -> Int
  /// Hashes the ids of rows that follow each other; see `IDHash`.
  @usableFromInline
  typealias Hash = (
    _ rows: UnsafePointer<Row>, _ count: Int, _ seed: UInt64, _ hashes: UnsafeMutablePointer<UInt32>
  ) -> Void

  /// Reads a row's id.
  @usableFromInline let read: (Row) -> ID
  /// Where a row has its id; made only when somebody asks, because that costs more than reading.
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

  /// What `find` does, for a way to ask whether the row at a place has the id.
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

  /// What `hash` does, for a way to read the id of the row at a place.
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

/// How the digests of rows make up the digest of a tree.
@usableFromInline
enum DigestCombination: Sendable {
  /// A polynomial, in which each row's place counts.
  case ordered
  /// A sum, in which the order does not count.
  case unordered
}
