import OrderedCollections

/// Writes the delta between two identified arrays.
///
/// Elements are matched by their ids. As few of them move as possible: those that stay are a
/// longest run of matched elements whose order is the same before and after.
///
/// Two ids can be equal in Swift and yet have different encodings, like texts that differ in their
/// normalisation. On the wire they are different ids: the one goes, the other comes.
struct IdentifiedDifference<ID: WireValue & Hashable, Element: ReplicatedState & Identifiable>
where Element.ID == ID {
  private let old: OrderedDictionary<ID, Element>
  private let new: OrderedDictionary<ID, Element>

  /// How many elements at the beginning, and at the end, have the same ids in both.
  private let prefix: Int
  private let suffix: Int

  init(old: OrderedDictionary<ID, Element>, new: OrderedDictionary<ID, Element>) {
    self.old = old
    self.new = new
    let shared = min(old.count, new.count)
    var prefix = 0
    while prefix < shared, old.keys[prefix] == new.keys[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < shared - prefix,
      old.keys[old.count - 1 - suffix] == new.keys[new.count - 1 - suffix]
    {
      suffix += 1
    }
    self.prefix = prefix
    self.suffix = suffix
  }

  /// - Returns: False when both have the same encoding; then nothing was written.
  func encode(to encoder: inout CBOREncoder) -> Bool {
    let start = encoder.mark
    if prefix == old.count, prefix == new.count {
      encoder.mapHeader(1)
      encoder.encode(unsigned: 3)
      let changes = encoder.beginDeferredArray()
      let (count, respelt) = encodeChanges(to: &encoder)
      if respelt.isEmpty, count > 0 {
        encoder.endDeferredArray(changes, count: count * 2)
        return true
      }
      encoder.truncate(to: start)
      if respelt.isEmpty { return false }
    }
    return encodeAll(to: &encoder)
  }

  private func encodeAll(to encoder: inout CBOREncoder) -> Bool {
    var changes = CBOREncoder()
    let (changed, respelt) = encodeChanges(to: &changes)
    let removed = removed(respelt)
    let (moved, inserted) = placed(respelt)
    let parts = [removed.count, moved.count, inserted.count, changed]
    guard parts.contains(where: { $0 > 0 }) else { return false }

    encoder.mapHeader(parts.count { $0 > 0 })
    encoder.begin(0, removed.count)
    for index in removed { old.values[index].id.encode(to: &encoder) }
    encoder.begin(1, moved.count * 2)
    for index in moved {
      encoder.encode(unsigned: UInt64(index))
      new.values[index].id.encode(to: &encoder)
    }
    encoder.begin(2, inserted.count * 2)
    for index in inserted {
      encoder.encode(unsigned: UInt64(index))
      new.values[index].encode(to: &encoder)
    }
    encoder.begin(3, changed * 2)
    encoder.append(raw: changes.bytes)
    return true
  }

  /// Where an element of the new array stood in the old one.
  private func oldIndex(of index: Int) -> Int? {
    if index < prefix { return index }
    if index >= new.count - suffix { return index - new.count + old.count }
    return old.index(forKey: new.keys[index])
  }

  /// Writes ids and deltas of the elements that changed inside.
  ///
  /// - Returns: How many they are, and which ids have another encoding than before.
  private func encodeChanges(to encoder: inout CBOREncoder) -> (count: Int, respelt: Set<ID>) {
    var count = 0
    var respelt: Set<ID> = []
    for index in 0..<new.count {
      guard let oldIndex = oldIndex(of: index) else { continue }
      let (element, before) = (new.values[index], old.values[oldIndex])
      // Nearly all rows: only those that were written to need a closer look.
      guard !haveSameMemory(element, before) else { continue }
      let mark = encoder.mark
      element.id.encode(to: &encoder)
      guard element.encodeDelta(from: before, to: &encoder) else {
        encoder.truncate(to: mark)
        continue
      }
      if element.id.isSame(as: before.id) {
        count += 1
      } else {
        encoder.truncate(to: mark)
        respelt.insert(new.keys[index])
      }
    }
    return (count, respelt)
  }

  /// Places in the old array of the elements that went.
  private func removed(_ respelt: Set<ID>) -> [Int] {
    let middle = prefix..<(old.count - suffix)
    guard respelt.isEmpty else {
      return old.keys.indices.filter {
        respelt.contains(old.keys[$0])
          || middle.contains($0) && new.index(forKey: old.keys[$0]) == nil
      }
    }
    return middle.filter { new.index(forKey: old.keys[$0]) == nil }
  }

  /// Places in the new array of the elements that moved and of those that came, ascending.
  private func placed(_ respelt: Set<ID>) -> (moved: [Int], inserted: [Int]) {
    var inserted: [Int] = []
    var matched: [Int] = []
    var oldIndices: [Int] = []
    for index in prefix..<(new.count - suffix) {
      let key = new.keys[index]
      if let oldIndex = old.index(forKey: key), !respelt.contains(key) {
        matched.append(index)
        oldIndices.append(oldIndex)
      } else {
        inserted.append(index)
      }
    }
    let outside = respelt.compactMap { new.index(forKey: $0) }
    inserted = Set(inserted).union(outside).sorted()
    let staying = LongestIncreasingRun.indices(of: oldIndices)
    let moved = matched.indices.filter { !staying.contains($0) }.map { matched[$0] }
    return (moved, inserted)
  }
}

extension CBOREncoder {
  /// Begins a part of a delta that is not empty.
  fileprivate mutating func begin(_ part: UInt64, _ items: Int) {
    guard items > 0 else { return }
    encode(unsigned: part)
    arrayHeader(items)
  }
}

/// Finds a longest increasing subsequence.
enum LongestIncreasingRun {
  /// The places of one of the longest increasing subsequences of different numbers.
  static func indices(of numbers: [Int]) -> Set<Int> {
    // ends[n]: where the best known run of n + 1 numbers ends, the one with the least last number.
    var ends: [Int] = []
    var previous: [Int] = []
    previous.reserveCapacity(numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, ends.count)
      if let last = ends.last, numbers[last] < number { low = high }
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      previous.append(low > 0 ? ends[low - 1] : -1)
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var result: Set<Int> = []
    var index = ends.last ?? -1
    while index >= 0 {
      result.insert(index)
      index = previous[index]
    }
    return result
  }
}
