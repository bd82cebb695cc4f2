/// The children of a node with observers at or below them.
///
/// A child keeps its slot as long as observers wait, so the order of visits is constant. A child
/// whose observers are all streams is not held: streams end with their stores.
@MainActor
struct WaitingChildren {
  /// A slot for a child; a strong reference is cheaper to visit.
  private enum Entry {
    case held(AnyStoreNode)
    case known(WeakNode)
    case free

    var isHeld: Bool { if case .held = self { true } else { false } }
  }

  private var entries: [Entry] = []
  private var free: [Int] = []
  /// The number of entries that triggers a search for dead ones.
  private var limit = 16
  /// The number of strong references.
  private(set) var heldCount = 0

  var isEmpty: Bool { entries.count == free.count }

  /// Records whether a child waits, and whether it is held.
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

  /// The first child at or after a place, which moves past the child; nil at the end.
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

  /// Releases the slots of released children: commits that skip this node do not find them.
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
