import Synchronization

/// What runs at one place.
// Sound: guarded by the mutex of its registry.
@usableFromInline
final class EffectSite: @unchecked Sendable {
  /// How many children of all roots have anything running: for asking without a lock, at every
  /// action.
  private static let childCount = Atomic(0)

  /// Whether a child of any root has anything running.
  @usableFromInline static var anyIsChild: Bool { childCount.load(ordering: .relaxed) > 0 }

  /// The site around this one; nil for a root, and when nothing runs here any more.
  private(set) var parent: EffectSite?
  private let path: ChildrenPath?
  private var id: AnyHashable
  /// Whether the child is there no more, although what it had running may not have ended yet.
  private(set) var isOver = false
  /// By their paths, of which few have anything running, and which are slow to hash.
  private var children: [(path: ChildrenPath, sites: [AnyHashable: EffectSite])] = []
  /// What runs here.
  var work: [Int: EffectWork] = [:]
  /// What runs here and below, by id.
  var byID: [CancelID: [Int: EffectWork]] = [:]
  var intervals: [CancelID: ThrottleInterval] = [:]

  init(parent: EffectSite?, path: ChildrenPath?, id: AnyHashable) {
    self.parent = parent
    self.path = path
    self.id = id
  }

  func children(at path: ChildrenPath) -> [AnyHashable: EffectSite]? {
    children.first { $0.path == path }?.sites
  }

  func addChild(at path: ChildrenPath, id: AnyHashable) -> EffectSite {
    let site = EffectSite(parent: self, path: path, id: id)
    insert(site, at: path)
    return site
  }

  /// Where a site was before it went to another id.
  // Sound: guarded by the mutex of the registry, like the site; ids are values.
  struct Move: @unchecked Sendable {
    fileprivate let site: EffectSite
    fileprivate let id: AnyHashable
    /// The site that was at the other id.
    fileprivate let replaced: EffectSite?

    /// Puts the site back, unless nothing runs there any more.
    func takeBack() {
      guard let parent = site.parent, let path = site.path else { return }
      parent.remove(site)
      site.put(at: path, of: parent, id: id)
      if let replaced { replaced.put(at: path, of: parent, id: replaced.id) }
    }
  }

  /// Goes to another id, and takes the place of what may be there.
  ///
  /// - Parameter id: The id.
  /// - Returns: Where it was; nil where nothing runs.
  func move(to id: AnyHashable) -> Move? {
    guard let parent, let path else { return nil }
    let old = self.id
    parent.remove(self)
    let other = parent.children(at: path)?[id]
    if let other { parent.remove(other) }
    put(at: path, of: parent, id: id)
    return Move(site: self, id: old, replaced: other)
  }

  private func put(at path: ChildrenPath, of parent: EffectSite, id: AnyHashable) {
    self.id = id
    self.parent = parent
    parent.insert(self, at: path)
  }

  /// Takes this, and all below it, out of the tree.
  func end(_ work: inout [EffectWork]) {
    work += self.work.values
    isOver = true
    for child in children.flatMap(\.sites.values) { child.end(&work) }
    parent?.remove(self)
  }

  /// Ends the intervals here and below.
  func endIntervals(_ ended: inout [ThrottleInterval]) {
    ended += intervals.values
    intervals = [:]
    for child in children.flatMap(\.sites.values) { child.endIntervals(&ended) }
    removeIfEmpty()
  }

  func removeChildren() {
    for child in children.flatMap(\.sites.values) {
      child.removeChildren()
      remove(child)
    }
  }

  /// Takes this out of the tree when nothing runs here, and then what is around it.
  func removeIfEmpty() {
    guard let parent, work.isEmpty, children.isEmpty, intervals.isEmpty else { return }
    parent.remove(self)
    parent.removeIfEmpty()
  }

  private func insert(_ child: EffectSite, at path: ChildrenPath) {
    Self.childCount.add(1, ordering: .relaxed)
    let index = children.firstIndex { $0.path == path }
    if let index {
      children[index].sites[child.id] = child
    } else {
      children.append((path, [child.id: child]))
    }
  }

  private func remove(_ child: EffectSite) {
    Self.childCount.subtract(1, ordering: .relaxed)
    child.parent = nil
    guard let index = children.firstIndex(where: { $0.path == child.path }) else { return }
    children[index].sites[child.id] = nil
    if children[index].sites.isEmpty { children.remove(at: index) }
  }
}
