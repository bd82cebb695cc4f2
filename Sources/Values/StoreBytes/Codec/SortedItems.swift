/// Collects the entries of a map or the elements of a set in any order, and writes them in the
/// bytewise order of their encodings.
///
/// The items may belong to several lists, for deltas, which list removals, additions and
/// changes separately.
///
/// Of keys with the same encoding only the one with the least value is kept. A Swift dictionary can
/// hold several NaN keys, because NaN differs from itself.
package struct SortedItems: ~Copyable {
  private struct Item {
    var list: Int
    var start: Int
    var keyEnd: Int
    var end: Int

    var key: Range<Int> { start..<keyEnd }
    var value: Range<Int> { keyEnd..<end }
  }

  private var scratch: CBOREncoder
  private var items: [Item] = []

  /// Creates an empty collection.
  package init() { scratch = CBOREncoder() }

  /// Creates an empty collection for values of the same form as an encoder's.
  package init(like encoder: borrowing CBOREncoder) { scratch = encoder.ofSameForm() }

  /// Adds an element of a set.
  package mutating func add(to list: Int = 0, _ element: (inout CBOREncoder) -> Void) {
    add(to: list, element) { _ in }
  }

  /// Adds an entry of a map.
  package mutating func add(
    to list: Int = 0,
    _ key: (inout CBOREncoder) -> Void,
    value: (inout CBOREncoder) -> Void,
  ) {
    add(to: list, key) { encoder in
      value(&encoder)
      return true
    }
  }

  /// Adds an entry of a map if `value` returns true.
  package mutating func add(
    to list: Int = 0,
    _ key: (inout CBOREncoder) -> Void,
    ifWritten value: (inout CBOREncoder) -> Bool,
  ) {
    let mark = scratch.mark
    key(&scratch)
    let keyEnd = scratch.count
    guard value(&scratch) else { return scratch.truncate(to: mark) }
    items.append(Item(list: list, start: mark.offset, keyEnd: keyEnd, end: scratch.count))
  }

  /// The sum of ``CBOREncoder/unshared`` over all added items.
  fileprivate var unshared: Int { scratch.unshared }

  /// Whether no item was added.
  package var isEmpty: Bool { items.isEmpty }

  /// Writes the added entries as a map.
  package mutating func writeMap(to encoder: inout CBOREncoder) {
    sort()
    encoder.mapHeader(items.count)
    write(items, to: &encoder)
  }

  /// Writes the added elements as a set.
  package mutating func writeSet(to encoder: inout CBOREncoder) {
    sort()
    encoder.setHeader(items.count)
    write(items, to: &encoder)
  }

  /// Writes the non-empty lists as a map from each list's number to its entries.
  fileprivate mutating func writeLists(to encoder: inout CBOREncoder, itemsEach: [Int]) {
    sort()
    let lists = itemsEach.indices.map { list in items.filter { $0.list == list } }
    encoder.mapHeader(lists.count { !$0.isEmpty })
    for (list, items) in lists.enumerated() where !items.isEmpty {
      encoder.encode(unsigned: UInt64(list))
      encoder.arrayHeader(items.count * itemsEach[list])
      write(items, to: &encoder)
    }
  }

  private func write(_ items: [Item], to encoder: inout CBOREncoder) {
    scratch.withBytes { bytes in
      for item in items {
        encoder.append(raw: UnsafeBufferPointer(rebasing: bytes[item.start..<item.end]))
        encoder.endElement()
      }
    }
  }

  private mutating func sort() {
    items = scratch.withBytes { bytes in
      var kept: [Item] = []
      kept.reserveCapacity(items.count)
      for item in items.sorted(by: { Self.isInOrder($0, $1, bytes) }) {
        if let last = kept.last, last.list == item.list,
          Self.order(bytes[last.key], bytes[item.key]) == 0
        {
          continue
        }
        kept.append(item)
      }
      return kept
    }
  }

  private static func isInOrder(
    _ one: Item,
    _ other: Item,
    _ bytes: UnsafeBufferPointer<UInt8>,
  ) -> Bool {
    guard one.list == other.list else { return one.list < other.list }
    let order = order(bytes[one.key], bytes[other.key])
    return order == 0 ? Self.order(bytes[one.value], bytes[other.value]) < 0 : order < 0
  }

  private static func order(
    _ one: Slice<UnsafeBufferPointer<UInt8>>,
    _ other: Slice<UnsafeBufferPointer<UInt8>>,
  ) -> Int {
    CBORDecoder.compare(UnsafeBufferPointer(rebasing: one), UnsafeBufferPointer(rebasing: other))
  }
}

extension CBOREncoder {
  /// Writes a delta as a map from the number of each non-empty list to the list.
  ///
  /// - Parameters:
  ///   - changes: The lists.
  ///   - itemsEach: The number of items in an entry of each list.
  /// - Returns: False if all lists are empty; then the encoder writes no bytes.
  package mutating func encodeChanges(
    _ changes: consuming SortedItems,
    itemsEach: [Int],
  ) -> Bool {
    guard !changes.isEmpty else { return false }
    unshared += changes.unshared
    changes.writeLists(to: &self, itemsEach: itemsEach)
    return true
  }
}
