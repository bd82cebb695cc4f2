/// Collects the entries of a map or the elements of a set in any order, and writes them in the
/// bytewise order of their encodings.
///
/// Of keys with the same encoding only the one with the least value is kept: in Swift a dictionary
/// can hold several NaN keys, because NaN differs from itself.
package struct SortedItems: Sendable {
  struct Item: Sendable {
    var start: Int
    var keyEnd: Int
    var end: Int
  }

  private var scratch: CBOREncoder
  private var items: [Item] = []

  /// Collects nothing yet.
  package init() { scratch = CBOREncoder() }

  /// Collects values of the form that an encoder writes.
  package init(like encoder: CBOREncoder) { scratch = encoder.ofSameForm() }

  /// Adds an element of a set.
  package mutating func add(_ element: (inout CBOREncoder) -> Void) {
    add(element) { _ in }
  }

  /// Adds an entry of a map.
  package mutating func add(
    _ key: (inout CBOREncoder) -> Void,
    value: (inout CBOREncoder) -> Void,
  ) {
    let start = scratch.bytes.count
    key(&scratch)
    let keyEnd = scratch.bytes.count
    value(&scratch)
    items.append(Item(start: start, keyEnd: keyEnd, end: scratch.bytes.count))
  }

  /// Adds an entry of a map when `value` says that it wrote one.
  package mutating func add(
    _ key: (inout CBOREncoder) -> Void,
    ifWritten value: (inout CBOREncoder) -> Bool,
  ) {
    let mark = scratch.mark
    key(&scratch)
    let keyEnd = scratch.bytes.count
    guard value(&scratch) else { return scratch.truncate(to: mark) }
    items.append(Item(start: mark.offset, keyEnd: keyEnd, end: scratch.bytes.count))
  }

  /// What stands in ``CBOREncoder/unshared`` for all that was added.
  var unshared: Int { scratch.unshared }

  /// Whether nothing was added.
  package var isEmpty: Bool { items.isEmpty }

  /// Writes what was added as an array in which each entry has as many items.
  package mutating func writeArray(to encoder: inout CBOREncoder, itemsEach: Int) {
    sort()
    encoder.arrayHeader(items.count * itemsEach)
    write(to: &encoder)
  }

  /// Writes what was added as a map.
  package mutating func writeMap(to encoder: inout CBOREncoder) {
    sort()
    encoder.mapHeader(items.count)
    write(to: &encoder)
  }

  /// Writes what was added as a set.
  package mutating func writeSet(to encoder: inout CBOREncoder) {
    sort()
    encoder.setHeader(items.count)
    write(to: &encoder)
  }

  private func write(to encoder: inout CBOREncoder) {
    for item in items {
      encoder.append(raw: scratch.bytes[item.start..<item.end])
      encoder.endElement()
    }
  }

  private mutating func sort() {
    let bytes = scratch.bytes
    items.sort { one, other in
      let order = CBORDecoder.compare(
        bytes[one.start..<one.keyEnd],
        bytes[other.start..<other.keyEnd],
      )
      guard order == 0 else { return order < 0 }
      return CBORDecoder.compare(
        bytes[one.keyEnd..<one.end],
        bytes[other.keyEnd..<other.end],
      ) < 0
    }
    var kept: [Item] = []
    kept.reserveCapacity(items.count)
    for item in items {
      if let last = kept.last, bytes[last.start..<last.keyEnd] == bytes[item.start..<item.keyEnd] {
        continue
      }
      kept.append(item)
    }
    items = kept
  }
}

extension CBOREncoder {
  /// Writes a delta as a map from the place of each list that is not empty to the list.
  ///
  /// - Returns: False when all lists are empty; then nothing was written.
  package mutating func encodeChanges(_ changes: [SortedItems], itemsEach: [Int]) -> Bool {
    let count = changes.count { !$0.isEmpty }
    guard count > 0 else { return false }
    for items in changes { unshared += items.unshared }
    mapHeader(count)
    for (place, var items) in changes.enumerated() where !items.isEmpty {
      encode(unsigned: UInt64(place))
      items.writeArray(to: &self, itemsEach: itemsEach[place])
    }
    return true
  }
}
