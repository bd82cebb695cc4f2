/// What a tree and all its copies have in common: where rows have their ids, how digests combine,
/// and how wide nodes are.
// Sound: nothing in it changes, and its closures hold nothing but types and a key path, which is
// Sendable.
@usableFromInline
final class RowIdentity<ID: Hashable, Row>: @unchecked Sendable {
  /// Reads a row's id.
  @usableFromInline let read: (Row) -> ID
  /// Where a row has its id; made only when somebody asks, because that costs more than reading.
  @usableFromInline let keyPath: () -> any KeyPath<Row, ID> & Sendable
  @usableFromInline let widths: TreeWidths
  @usableFromInline let digests: DigestCombination

  @usableFromInline
  init(
    read: @escaping (Row) -> ID,
    keyPath: @escaping () -> any KeyPath<Row, ID> & Sendable,
    widths: TreeWidths,
    digests: DigestCombination,
  ) {
    self.read = read
    self.keyPath = keyPath
    self.widths = widths
    self.digests = digests
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
