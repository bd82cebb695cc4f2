import Synchronization

/// A child of a branch.
@usableFromInline
struct RowBranchEntry {
  /// A `RowBranch`, or a `RowLeaf` on the lowest level.
  @usableFromInline var child: AnyObject
  /// The label of the first leaf below.
  @usableFromInline var label: UInt32
  /// The number of rows below.
  @usableFromInline var count: UInt32
  /// The contribution of the rows below to the digest, or 0 if it is unknown.
  @usableFromInline var content: UInt64 = 0

  init(child: AnyObject, label: UInt32, count: Int) {
    self.child = child
    self.label = label
    self.count = UInt32(count)
  }
}

@usableFromInline
struct RowBranchHeader {
  @usableFromInline var count: UInt32
  let capacity: UInt32
}

/// A node above the leaves of a tree.
///
/// A shared branch never changes, except that a digest request fills in the `content` of an entry.
/// Several threads may do that at the same time. They read and write it atomically, all write the
/// same value, and no other field depends on it. The only owner of a branch changes it in place.
@usableFromInline
final class RowBranch: ManagedBuffer<RowBranchHeader, RowBranchEntry> {
  static func make(capacity: Int) -> RowBranch {
    let branch = RowBranch.create(minimumCapacity: capacity) { _ in
      RowBranchHeader(count: 0, capacity: UInt32(capacity))
    }
    return unsafeDowncast(branch, to: RowBranch.self)
  }

  deinit {
    _ = withUnsafeMutablePointers { $1.deinitialize(count: Int($0.pointee.count)) }
  }

  /// The header without the runtime's exclusivity checks: a branch that changes has one owner.
  @inlinable var notes: UnsafeMutablePointer<RowBranchHeader> {
    withUnsafeMutablePointerToHeader { $0 }
  }

  @inlinable var count: Int { Int(notes.pointee.count) }

  /// The first entry; valid as long as the caller holds the branch.
  @inlinable var entries: UnsafeMutablePointer<RowBranchEntry> {
    withUnsafeMutablePointerToElements { $0 }
  }

  /// The number of rows below.
  var total: Int {
    var total = 0
    for slot in 0..<count { total += Int(entries[slot].count) }
    return total
  }

  /// A copy that is not shared.
  @usableFromInline
  func copy() -> RowBranch {
    let copy = RowBranch.make(capacity: Int(notes.pointee.capacity))
    let (source, target) = (entries, copy.entries)
    for slot in 0..<count {
      var entry = RowBranchEntry(
        child: source[slot].child,
        label: source[slot].label,
        count: Int(source[slot].count),
      )
      entry.content = content(at: slot)
      (target + slot).initialize(to: entry)
    }
    copy.notes.pointee.count = notes.pointee.count
    return copy
  }

  func append(_ more: ArraySlice<RowBranchEntry>) {
    for entry in more {
      (entries + count).initialize(to: entry)
      notes.pointee.count += 1
    }
  }

  func insert(_ entry: RowBranchEntry, at slot: Int) {
    let place = entries + slot
    (place + 1).moveInitialize(from: place, count: count - slot)
    place.initialize(to: entry)
    notes.pointee.count += 1
  }

  func remove(at slot: Int) {
    let place = entries + slot
    place.deinitialize(count: 1)
    place.moveInitialize(from: place + 1, count: count - slot - 1)
    notes.pointee.count -= 1
  }

  /// Moves entries from the beginning or the end of another branch to this one.
  func take(_ number: Int, from other: RowBranch, isBefore: Bool) {
    if isBefore {
      (entries + number).moveInitialize(from: entries, count: count)
      entries.moveInitialize(from: other.entries + (other.count - number), count: number)
    } else {
      (entries + count).moveInitialize(from: other.entries, count: number)
      other.entries.moveInitialize(from: other.entries + number, count: other.count - number)
    }
    notes.pointee.count += UInt32(number)
    other.notes.pointee.count -= UInt32(number)
  }

  /// A child, unretained; valid as long as the caller holds the branch.
  @inlinable
  func child(at slot: Int) -> Unmanaged<AnyObject> {
    // The child is the first field of its entry.
    UnsafeRawPointer(entries + slot).load(as: Unmanaged<AnyObject>.self)
  }

  /// The child that contains a row; `place` becomes the row's place below the child.
  @inlinable
  func slot(of place: inout Int) -> Int {
    var slot = 0
    while place >= Int(entries[slot].count) {
      place -= Int(entries[slot].count)
      slot += 1
    }
    return slot
  }

  /// The child that contains a label.
  @inlinable
  func slot(labelled label: UInt32) -> Int {
    var slot = count - 1
    while slot > 0, entries[slot].label > label { slot -= 1 }
    return slot
  }

  /// The contribution of the rows below a child to the digest, or 0.
  func content(at slot: Int) -> UInt64 {
    atomicContent(slot).pointee.load(ordering: .relaxed)
  }

  func setContent(_ content: UInt64, at slot: Int) {
    atomicContent(slot).pointee.store(content, ordering: .relaxed)
  }

  /// The content as an atomic number, which has the layout of the number.
  ///
  /// The address is calculated, because access through the entry would count as a write to it, and
  /// several threads may run this.
  private func atomicContent(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    // After the child, the label and the count.
    let offset = MemoryLayout<AnyObject>.size + 2 * MemoryLayout<UInt32>.size
    return (UnsafeMutableRawPointer(entries + slot) + offset)
      .assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}
