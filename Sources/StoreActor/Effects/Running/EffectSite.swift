import Synchronization

/// The running work of one place.
// Sound: guarded by the mutex of its registry.
@usableFromInline
final class EffectSite: @unchecked Sendable {
  /// The number of children of all roots that have running work: a check without a lock, for
  /// every action.
  private static let childCount = Atomic(0)

  /// Whether a child of any root has running work.
  @usableFromInline static var anyIsChild: Bool { childCount.load(ordering: .relaxed) > 0 }

  /// The site around this one; nil for a root, and when no work runs here any more.
  private(set) var parent: EffectSite?
  private let path: ChildrenPath?
  private var id: AnyHashable
  /// Whether the child is absent; its work may not have ended yet.
  private(set) var isOver = false
  /// A list by path: few paths have running work, and paths are slow to hash.
  private var children: [(path: ChildrenPath, sites: [AnyHashable: EffectSite])] = []
  /// The work that runs here.
  var work: [Int: EffectWork] = [:]
  /// The work that runs here and below, by id.
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

  /// The earlier position of a site that has moved to another id.
  // Sound: guarded by the mutex of the registry, like the site; ids are values.
  struct Move: @unchecked Sendable {
    fileprivate let site: EffectSite
    fileprivate let id: AnyHashable
    /// The site that had the other id before.
    fileprivate let replaced: EffectSite?

    /// Moves the site back, unless no work runs there any more.
    func takeBack() {
      guard let parent = site.parent, let path = site.path else { return }
      parent.remove(site)
      site.put(at: path, of: parent, id: id)
      if let replaced { replaced.put(at: path, of: parent, id: replaced.id) }
    }
  }

  /// Moves the site to another id and replaces a site that has this id.
  ///
  /// - Parameter id: The id.
  /// - Returns: The earlier position; nil if no work runs here.
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

  /// A site that was removed from the tree, with its earlier position.
  // Sound: guarded by the mutex of the registry, like the site.
  struct Removal: @unchecked Sendable {
    fileprivate let site: EffectSite
    fileprivate let parent: EffectSite?

    /// Removes the sites around this one that have become empty.
    func removeEmptyParents() { parent?.removeIfEmpty() }

    /// Removes the site if no work runs there any more.
    func removeEmptySite() { site.removeIfEmpty() }

    /// Inserts the site again, in the place of a site that the step has created for the same id.
    func takeBack() {
      site.isOver = false
      if let parent, let path = site.path { site.put(at: path, of: parent, id: site.id) }
    }
  }

  /// Removes this site, and all sites below it, from the tree.
  ///
  /// - Parameters:
  ///   - work: Receives the work of these sites.
  ///   - removals: Receives the sites, innermost first.
  func end(_ work: inout [EffectWork], _ removals: inout [Removal]) {
    work += self.work.values
    isOver = true
    for child in children.flatMap(\.sites.values) { child.end(&work, &removals) }
    removals.append(Removal(site: self, parent: parent))
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

  /// Removes this site from the tree if no work runs here, and then empty sites around it.
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
    guard let index = children.firstIndex(where: { $0.path == child.path }),
      // Another site may have replaced it.
      children[index].sites[child.id] === child
    else { return }
    children[index].sites[child.id] = nil
    if children[index].sites.isEmpty { children.remove(at: index) }
  }
}
