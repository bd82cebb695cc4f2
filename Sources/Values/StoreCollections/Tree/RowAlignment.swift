#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The common parts of two trees, found in time proportional to their differences.
///
/// Both trees are walked from the first row to the last. Shared nodes are skipped. The rest are
/// gaps: rows of leaves that only one tree has. An id in a gap of one tree can only be in a gap of
/// the other, because ids are unique.
///
/// The trees own the rows: an alignment is valid as long as both trees live unchanged. It is not
/// generic, for the same reason as `RowLeaf`.
struct RowAlignment {
  /// Consecutive rows in both trees with the same ids.
  struct Run {
    var oldStart: Int
    var newStart: Int
    var count: Int
  }

  /// A row of one tree.
  struct Entry {
    let row: UnsafeMutableRawPointer
    let position: Int
  }

  /// Two rows with the same id and different bytes in memory.
  struct Pair {
    let old: UnsafeMutableRawPointer
    let new: UnsafeMutableRawPointer
    let newPosition: Int
  }

  /// Whether two rows have the same id.
  typealias Sameness = (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Bool

  /// The common rows, in the order of the new tree; runs that were matched by id may have another
  /// order in the old one.
  private(set) var runs: [Run] = []
  /// Rows that may have changed inside, in the order of the new tree.
  private(set) var pairs: [Pair] = []
  /// Rows of only one tree, each in that tree's order.
  private(set) var removed: [Entry] = []
  private(set) var inserted: [Entry] = []
  /// Whether the order of `runs` differs between the old tree and the new one.
  private(set) var isReordered = false

  private let size: Int
  private let stride: Int
  /// The address of a leaf's rows.
  private let base: (RowLeaf) -> UnsafeMutableRawPointer

  private var oldGap: [Entry] = []
  private var newGap: [Entry] = []

  fileprivate init(size: Int, stride: Int, base: @escaping (RowLeaf) -> UnsafeMutableRawPointer) {
    self.size = size
    self.stride = stride
    self.base = base
  }
}

extension RowTree {
  /// Aligns this tree with an older one.
  ///
  /// - Parameters:
  ///   - old: The other tree; both trees must live as long as the result is used.
  ///   - areSameIDs: Whether two ids that are equal are the same.
  /// - Returns: The common rows and the differences.
  func alignment(from old: RowTree, areSameIDs: (ID, ID) -> Bool) -> RowAlignment {
    let read = identity.read
    func id(_ row: UnsafeMutableRawPointer) -> ID {
      read(row.assumingMemoryBound(to: Row.self).pointee)
    }
    let haveSameID: RowAlignment.Sameness = { one, other in
      let (oldID, newID) = (id(one), id(other))
      return oldID == newID && areSameIDs(oldID, newID)
    }
    var alignment = RowAlignment(
      size: MemoryLayout<Row>.size,
      stride: MemoryLayout<Row>.stride,
      base: { UnsafeMutableRawPointer($0.rows(of: Row.self)) },
    )
    withoutActuallyEscaping(haveSameID) { haveSameID in
      alignment.walk(RowCursor(old), RowCursor(self), haveSameID)
      guard !alignment.removed.isEmpty, !alignment.inserted.isEmpty else { return }
      var places: [ID: Int] = [:]
      places.reserveCapacity(alignment.removed.count)
      for (place, entry) in alignment.removed.enumerated() { places[id(entry.row)] = place }
      alignment.match({ places[id($0)] }, haveSameID)
    }
    return alignment
  }
}

// MARK: - The walk

extension RowAlignment {
  fileprivate mutating func walk(_ old: RowCursor, _ new: RowCursor, _ haveSameID: Sameness) {
    if let one = old.node, let other = new.node, old.height == new.height {
      compare(one, other, old.height, (0, old.count), (0, new.count), haveSameID)
    } else {
      search(old, new, haveSameID)
    }
    closeGap(haveSameID)
  }

  /// Compares two nodes of the same height, with the positions of their first rows and their
  /// numbers of rows.
  private mutating func compare(
    _ old: AnyObject,
    _ new: AnyObject,
    _ height: Int,
    _ oldRows: (start: Int, count: Int),
    _ newRows: (start: Int, count: Int),
    _ haveSameID: Sameness,
  ) {
    if old === new {
      closeGap(haveSameID)
      return addRun(
        Run(oldStart: oldRows.start, newStart: newRows.start, count: newRows.count)
      )
    }
    guard height > 0 else {
      let (old, new) = (
        unsafeDowncast(old, to: RowLeaf.self), unsafeDowncast(new, to: RowLeaf.self),
      )
      return compareLeaves(old, new, oldRows.start, newRows.start, haveSameID)
    }
    let one = unsafeDowncast(old, to: RowBranch.self)
    let other = unsafeDowncast(new, to: RowBranch.self)
    guard one.hasSameLabels(as: other) else {
      return search(
        RowCursor(old, height: height, count: oldRows.count, position: oldRows.start),
        RowCursor(new, height: height, count: newRows.count, position: newRows.start),
        haveSameID,
      )
    }
    var (oldStart, newStart) = (oldRows.start, newRows.start)
    for slot in 0..<one.count {
      let (entry, newEntry) = (one.entries + slot, other.entries + slot)
      let (count, newCount) = (Int(entry.pointee.count), Int(newEntry.pointee.count))
      if entry.pointee.child === newEntry.pointee.child {
        closeGap(haveSameID)
        addRun(Run(oldStart: oldStart, newStart: newStart, count: count))
      } else {
        compare(
          entry.pointee.child,
          newEntry.pointee.child,
          height - 1,
          (oldStart, count),
          (newStart, newCount),
          haveSameID,
        )
      }
      oldStart += count
      newStart += newCount
    }
  }

  /// Walks over the nodes below two nodes whose children do not correspond.
  private mutating func search(_ old: RowCursor, _ new: RowCursor, _ haveSameID: Sameness) {
    var (one, other) = (old, new)
    while one.node != nil, other.node != nil {
      let (oldStart, newStart) = (one.position, other.position)
      if let count = RowCursor.advance(&one, &other) {
        guard count > 0 else { continue }
        closeGap(haveSameID)
        addRun(Run(oldStart: oldStart, newStart: newStart, count: count))
      } else {
        // Different leaves. Leaves with the same label are likely to have common rows.
        let (oldLabel, newLabel) = (one.label, other.label)
        if oldLabel <= newLabel { collect(&one, into: \.oldGap) }
        if newLabel <= oldLabel { collect(&other, into: \.newGap) }
      }
    }
    while one.node != nil { collect(&one, into: \.oldGap) }
    while other.node != nil { collect(&other, into: \.newGap) }
  }

  private mutating func collect(
    _ cursor: inout RowCursor,
    into gap: WritableKeyPath<RowAlignment, [Entry]>,
  ) {
    let position = cursor.position
    guard let leaf = cursor.nextLeaf() else { return }
    self[keyPath: gap] += entries(leaf, position)
  }

  private func entries(_ leaf: RowLeaf, _ position: Int) -> [Entry] {
    let base = base(leaf)
    return (0..<leaf.count).map { Entry(row: base + $0 * stride, position: position + $0) }
  }

  /// Compares two leaves with the same label.
  private mutating func compareLeaves(
    _ old: RowLeaf,
    _ new: RowLeaf,
    _ oldStart: Int,
    _ newStart: Int,
    _ haveSameID: Sameness,
  ) {
    if oldGap.isEmpty, newGap.isEmpty, old.count == new.count {
      let (oldRows, newRows, known) = (base(old), base(new), pairs.count)
      var offset = 0
      while offset < new.count,
        pair(oldRows + offset * stride, newRows + offset * stride, newStart + offset, haveSameID)
      {
        offset += 1
      }
      if offset == new.count {
        return addRun(Run(oldStart: oldStart, newStart: newStart, count: offset))
      }
      pairs.removeLast(pairs.count - known)
    }
    oldGap += entries(old, oldStart)
    newGap += entries(new, newStart)
  }
}

// MARK: - Gaps

extension RowAlignment {
  private mutating func addRun(_ run: Run) {
    if let last = runs.last, last.oldStart + last.count == run.oldStart,
      last.newStart + last.count == run.newStart
    {
      runs[runs.count - 1].count += run.count
    } else {
      runs.append(run)
    }
  }

  /// Pairs rows from the beginning and from the end of a gap while their ids agree.
  private mutating func closeGap(_ haveSameID: Sameness) {
    guard !oldGap.isEmpty || !newGap.isEmpty else { return }
    let (old, new) = (oldGap, newGap)
    let shared = min(old.count, new.count)
    var front = 0
    while front < shared, pair(old[front], new[front], haveSameID) { front += 1 }
    var behind: [Pair] = []
    var back = 0
    while back < shared - front {
      let known = pairs.count
      guard pair(old[old.count - 1 - back], new[new.count - 1 - back], haveSameID) else { break }
      if pairs.count > known { behind.append(pairs.removeLast()) }
      back += 1
    }
    pairs.append(contentsOf: behind.reversed())
    addRun(front, old.first, new.first)
    removed += old[front..<(old.count - back)]
    inserted += new[front..<(new.count - back)]
    addRun(back, old.suffix(back).first, new.suffix(back).first)
    oldGap = []
    newGap = []
  }

  private mutating func addRun(_ count: Int, _ old: Entry?, _ new: Entry?) {
    guard count > 0, let old, let new else { return }
    addRun(Run(oldStart: old.position, newStart: new.position, count: count))
  }

  private mutating func pair(_ old: Entry, _ new: Entry, _ haveSameID: Sameness) -> Bool {
    pair(old.row, new.row, new.position, haveSameID)
  }

  /// Records two rows with the same id.
  ///
  /// - Returns: False if their ids differ.
  private mutating func pair(
    _ old: UnsafeMutableRawPointer,
    _ new: UnsafeMutableRawPointer,
    _ position: Int,
    _ haveSameID: Sameness,
  ) -> Bool {
    // True for nearly all rows: only written rows need a closer comparison.
    if memcmp(old, new, size) == 0 { return true }
    guard haveSameID(old, new) else { return false }
    pairs.append(Pair(old: old, new: new, newPosition: position))
    return true
  }

  /// Finds the rows that moved.
  ///
  /// - Parameters:
  ///   - place: The index of the removed row that may have the same id.
  ///   - haveSameID: Whether two rows have the same id.
  fileprivate mutating func match(
    _ place: (UnsafeMutableRawPointer) -> Int?,
    _ haveSameID: Sameness,
  ) {
    var (matched, rest): (Set<Int>, [Entry]) = ([], [])
    for entry in inserted {
      if let place = place(entry.row), pair(removed[place], entry, haveSameID) {
        matched.insert(place)
        let oldStart = removed[place].position
        runs.append(Run(oldStart: oldStart, newStart: entry.position, count: 1))
      } else {
        rest.append(entry)
      }
    }
    guard !matched.isEmpty else { return }
    inserted = rest
    removed = removed.indices.filter { !matched.contains($0) }.map { removed[$0] }
    pairs.sort { $0.newPosition < $1.newPosition }
    runs.sort { $0.newStart < $1.newStart }
    isReordered = zip(runs, runs.dropFirst()).contains { $0.oldStart > $1.oldStart }
  }
}

extension RowBranch {
  /// Whether the children of two branches have the same labels.
  fileprivate func hasSameLabels(as other: RowBranch) -> Bool {
    guard count == other.count else { return false }
    for slot in 0..<count where entries[slot].label != other.entries[slot].label { return false }
    return true
  }
}
