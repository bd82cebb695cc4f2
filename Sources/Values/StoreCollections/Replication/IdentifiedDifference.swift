import StoreBytes
import StoreValues

/// Writes the delta between two identified arrays.
///
/// Elements are matched by their ids. As few of them move as possible: a heaviest run of matched
/// elements whose order is the same before and after stays.
///
/// Two ids can be equal in Swift and yet have different encodings, like texts in different
/// normalizations. On the wire they are different ids: one is removed, the other inserted.
struct IdentifiedDifference<ID: WireValue & Hashable, Element: ReplicatedState & Identifiable>
where Element.ID == ID {
  /// Keeps the old elements alive.
  private let old: RowTree<ID, Element>
  private let new: RowTree<ID, Element>
  private let alignment: RowAlignment

  init(old: RowTree<ID, Element>, new: RowTree<ID, Element>) {
    self.old = old
    self.new = new
    alignment = new.alignment(from: old) { $0._$isSame(as: $1) }
  }

  /// - Returns: False if both have the same encoding; then no bytes are written.
  func encode(to encoder: inout CBOREncoder) -> Bool {
    let moved = moved
    let (removed, inserted) = (alignment.removed, alignment.inserted)
    guard !(moved.isEmpty && removed.isEmpty && inserted.isEmpty) else {
      return encodeOnlyChanges(to: &encoder)
    }
    var changes = encoder.ofSameForm()
    let changed = encodeChanges(to: &changes)
    let parts = [removed.count, moved.count, inserted.count, changed]
    encoder.mapHeader(parts.count { $0 > 0 })
    encoder.begin(0, removed.count)
    for entry in removed { element(entry.row).id.encode(to: &encoder) }
    encoder.begin(1, moved.count * 2)
    for position in moved {
      encoder.encode(unsigned: UInt64(position))
      new.location(at: position).row.pointee.id.encode(to: &encoder)
    }
    encoder.begin(2, inserted.count * 2)
    for entry in inserted {
      encoder.encode(unsigned: UInt64(entry.position))
      element(entry.row).encode(to: &encoder)
    }
    encoder.begin(3, changed * 2)
    encoder.append(changes)
    encoder.unshared += changes.unshared
    return true
  }

  private func encodeOnlyChanges(to encoder: inout CBOREncoder) -> Bool {
    let start = encoder.mark
    encoder.mapHeader(1)
    encoder.encode(unsigned: 3)
    let changes = encoder.beginDeferredArray()
    let count = encodeChanges(to: &encoder)
    guard count > 0 else {
      encoder.truncate(to: start)
      return false
    }
    encoder.endDeferredArray(changes, count: count * 2)
    return true
  }

  /// Writes the ids and deltas of the elements that changed inside.
  ///
  /// - Returns: Their number.
  private func encodeChanges(to encoder: inout CBOREncoder) -> Int {
    var count = 0
    for pair in alignment.pairs {
      let mark = encoder.mark
      element(pair.new).id.encode(to: &encoder)
      if element(pair.new).encodeDelta(from: element(pair.old), to: &encoder) {
        count += 1
      } else {
        encoder.truncate(to: mark)
      }
    }
    return count
  }

  private func element(_ row: UnsafeMutableRawPointer) -> Element {
    row.assumingMemoryBound(to: Element.self).pointee
  }

  /// The positions, in the new array, of the elements that moved, ascending.
  private var moved: [Int] {
    guard alignment.isReordered else { return [] }
    let runs = alignment.runs
    let staying = HeaviestRun.places(in: runs.map { (number: $0.oldStart, weight: $0.count) })
    var (moved, next): ([Int], Int) = ([], 0)
    for (place, run) in runs.enumerated() {
      if next < staying.count, staying[next] == place {
        next += 1
      } else {
        moved.append(contentsOf: run.newStart..<(run.newStart + run.count))
      }
    }
    return moved
  }
}

extension CBOREncoder {
  /// Begins a part of a delta unless the part is empty.
  fileprivate mutating func begin(_ part: UInt64, _ items: Int) {
    guard items > 0 else { return }
    encode(unsigned: part)
    arrayHeader(items)
  }
}
