/// The children of a node at or below which somebody waits.
///
/// A child keeps its place as long as it waits, so they are visited in the same order each time. A
/// child that only streams wait for is not held: streams end with their stores.
@MainActor
struct WaitingChildren {
  private struct Entry {
    weak var child: AnyStoreNode?
    var held: AnyStoreNode?
    var isFree = false
  }

  private var entries: [Entry] = []
  private var free: [Int] = []
  /// How many of them are held.
  private(set) var heldCount = 0

  var isEmpty: Bool { entries.count == free.count }

  /// Notes whether a child waits, and whether it is held.
  mutating func update(_ child: AnyStoreNode, waits: Bool, isHeld: Bool) {
    guard waits else {
      if let slot = child.slot { release(slot) }
      child.slot = nil
      return
    }
    let slot = child.slot ?? takeSlot(for: child)
    child.slot = slot
    heldCount += (isHeld ? 1 : 0) - (entries[slot].held == nil ? 0 : 1)
    entries[slot].held = isHeld ? child : nil
  }

  /// The first one from a place on, and the place behind it; nil when there are no more.
  mutating func next(_ place: inout Int) -> AnyStoreNode? {
    while place < entries.count {
      place += 1
      if entries[place - 1].isFree { continue }
      if let child = entries[place - 1].child { return child }
      release(place - 1)
    }
    return nil
  }

  private mutating func takeSlot(for child: AnyStoreNode) -> Int {
    if let slot = free.popLast() {
      entries[slot] = Entry(child: child)
      return slot
    }
    entries.append(Entry(child: child))
    return entries.count - 1
  }

  private mutating func release(_ slot: Int) {
    if entries[slot].held != nil { heldCount -= 1 }
    entries[slot] = Entry(isFree: true)
    free.append(slot)
  }
}
