import Synchronization

/// A child of a branch.
@usableFromInline
struct RowBranchEntry {
  /// A `RowBranch`, or on the lowest level a `RowLeaf`.
  @usableFromInline var child: AnyObject
  /// The label of the first leaf below.
  @usableFromInline var label: UInt32
  /// How many rows are below.
  @usableFromInline var count: UInt32
  /// What the rows below contribute to the digest, or 0 when that is not known.
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
/// A branch to which more than one reference exists never changes, except that `content` of an
/// entry is filled in when somebody asks for a digest. Several threads may do that at the same
/// time: it is read and written atomically there, all of them write the same, and nothing else
/// depends on it. Its only owner changes a branch in place.
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

  /// The header without the runtime's checks for exclusive access: a branch that changes has one
  /// owner.
  @inlinable var notes: UnsafeMutablePointer<RowBranchHeader> {
    withUnsafeMutablePointerToHeader { $0 }
  }

  @inlinable var count: Int { Int(notes.pointee.count) }

  /// The first entry; good for as long as somebody holds the branch.
  @inlinable var entries: UnsafeMutablePointer<RowBranchEntry> {
    withUnsafeMutablePointerToElements { $0 }
  }

  /// How many rows are below.
  var total: Int {
    var total = 0
    for slot in 0..<count { total += Int(entries[slot].count) }
    return total
  }

  /// A copy of its own.
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

  /// Takes entries from the beginning or the end of another branch.
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

  /// A child, without a reference of its own; good for as long as somebody holds the branch.
  @inlinable
  func child(at slot: Int) -> Unmanaged<AnyObject> {
    // The child stands first in its entry.
    UnsafeRawPointer(entries + slot).load(as: Unmanaged<AnyObject>.self)
  }

  /// The child below which a row is, by the row's place, which becomes its place below the child.
  @inlinable
  func slot(of place: inout Int) -> Int {
    var slot = 0
    while place >= Int(entries[slot].count) {
      place -= Int(entries[slot].count)
      slot += 1
    }
    return slot
  }

  /// The child below which a label is.
  @inlinable
  func slot(labelled label: UInt32) -> Int {
    var slot = count - 1
    while slot > 0, entries[slot].label > label { slot -= 1 }
    return slot
  }

  /// What the rows below a child contribute to the digest, or 0.
  func content(at slot: Int) -> UInt64 {
    atomicContent(slot).pointee.load(ordering: .relaxed)
  }

  func setContent(_ content: UInt64, at slot: Int) {
    atomicContent(slot).pointee.store(content, ordering: .relaxed)
  }

  /// An atomic number has the layout of the number.
  ///
  /// The place is calculated, because going through the entry would count as a write to it, and
  /// several threads may be here.
  private func atomicContent(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    // Behind the child, the label and the count.
    let offset = MemoryLayout<AnyObject>.size + 2 * MemoryLayout<UInt32>.size
    return (UnsafeMutableRawPointer(entries + slot) + offset)
      .assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}
