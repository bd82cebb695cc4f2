/// The children of a node at or below which somebody waits.
///
/// A child keeps its place as long as it waits, so they are visited in the same order each time. A
/// child that only streams wait for is not held: streams end with their stores.
@MainActor
struct WaitingChildren {
  /// A place of a child; what is held costs less to visit.
  private enum Entry {
    case held(AnyStoreNode)
    case known(WeakNode)
    case free

    var isHeld: Bool { if case .held = self { true } else { false } }
  }

  private var entries: [Entry] = []
  private var free: [Int] = []
  /// How many entries there may be before dead ones are looked for.
  private var limit = 16
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
    let slot = child.slot ?? takeSlot()
    child.slot = slot
    heldCount += (isHeld ? 1 : 0) - (entries[slot].isHeld ? 1 : 0)
    entries[slot] = isHeld ? .held(child) : .known(WeakNode(node: child))
  }

  /// The first one from a place on, and the place behind it; nil when there are no more.
  mutating func next(_ place: inout Int) -> AnyStoreNode? {
    while place < entries.count {
      place += 1
      switch entries[place - 1] {
      case .held(let child): return child
      case .known(let child):
        if let child = child.node { return child }
        release(place - 1)
      case .free: break
      }
    }
    return nil
  }

  private mutating func takeSlot() -> Int {
    if let slot = free.popLast() { return slot }
    if entries.count >= limit {
      releaseDead()
      limit = max(16, 2 * (entries.count - free.count))
      if let slot = free.popLast() { return slot }
    }
    entries.append(.free)
    return entries.count - 1
  }

  /// Those whose stores have gone are not looked at, so they have to be looked for.
  private mutating func releaseDead() {
    for slot in entries.indices {
      if case .known(let child) = entries[slot], child.node == nil { release(slot) }
    }
  }

  private mutating func release(_ slot: Int) {
    if entries[slot].isHeld { heldCount -= 1 }
    entries[slot] = .free
    free.append(slot)
  }
}
