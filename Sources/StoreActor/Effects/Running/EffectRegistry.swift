import Synchronization

/// What one root has running, by place and by cancellation id: itself the outermost place.
///
/// `state`, and with it all that hangs on its site, is guarded by its mutex, as ids may be
/// cancelled from any isolation (`Task.cancel(id:)` in an effect). Nothing is called while the
/// mutex is held.
/// Whatever is cancelled together is cancelled in the order in which it came.
@usableFromInline
package final class EffectRegistry: EffectPlace, @unchecked Sendable {
  fileprivate struct State {
    var entries: [Int: Entry] = [:]
    let root = EffectSite(parent: nil, path: nil, id: AnyHashable(0))
  }

  /// A piece of work, and where it is to be found.
  fileprivate struct Entry {
    let work: EffectWork
    let site: EffectSite
    /// One for each id and each prefix of that id's place.
    let ids: [(id: CancelID, site: EffectSite)]
  }

  private let state = Mutex(State())
  private let absenceCell = Atomic(Absence.fault)

  package init() {
    super.init(parent: nil, path: nil, isPresented: false)
  }

  deinit {
    state.withLock { $0.root.removeChildren() }
  }

  override var registry: EffectRegistry { self }

  /// What it means when a child is absent that the action in progress is for.
  var absence: Absence {
    get { absenceCell.load(ordering: .relaxed) }
    set { absenceCell.store(newValue, ordering: .relaxed) }
  }

  /// How many pieces of work are under way.
  package var count: Int {
    state.withLock { $0.entries.count }
  }

  func insert(_ work: EffectWork) {
    state.withLock { state in
      let site = state.site(at: work.place)
      site.work[work.serial] = work
      var ids: [(id: CancelID, site: EffectSite)] = []
      for (id, place) in work.ids {
        for site in sequence(first: state.site(at: place), next: \.parent) {
          site.byID[id, default: [:]][work.serial] = work
          ids.append((id, site))
        }
      }
      state.entries[work.serial] = Entry(work: work, site: site, ids: ids)
    }
  }

  func remove(_ work: EffectWork) {
    let entry = state.withLock { state -> Entry? in
      state.forget(work)
      return state.entries.removeValue(forKey: work.serial)
    }
    // Let go of outside of the lock, as anything may end with it.
    withExtendedLifetime(entry) {}
  }

  /// Cancels what runs under an id at a place, and below it.
  func cancel(_ id: CancelID, at place: EffectPlace) {
    EffectWork.cancel(
      state.withLock { $0.knownSite(at: place)?.byID[id].map { Array($0.values) } ?? [] }
    )
  }

  /// Cancels everything.
  package func cancelAll() {
    EffectWork.cancel(state.withLock { $0.entries.values.map(\.work) })
  }

  /// Whether anything runs under an id at a place, or below it.
  package func isRunning(_ id: CancelID, at place: EffectPlace? = nil) -> Bool {
    state.withLock { $0.knownSite(at: place ?? self)?.byID[id] != nil }
  }
}

// MARK: - Children

extension EffectRegistry {
  /// The ids of the children that a place has at a path and that have anything running.
  package func children(of place: EffectPlace, at path: ChildrenPath) -> [AnyHashable] {
    state.withLock { state in
      // Sound: ids are values.
      UncheckedSendable(state.knownSite(at: place)?.children(at: path).map { Array($0.keys) })
    }
    .value ?? []
  }

  /// Cancels what children have running, and those below them, which are there no more.
  func end(_ ids: [AnyHashable], at path: ChildrenPath, of place: EffectPlace) {
    let work = state.withLock { state -> [EffectWork] in
      guard let site = state.knownSite(at: place) else { return [] }
      var work: [EffectWork] = []
      for id in ids { site.children(at: path)?[id]?.end(&work) }
      for work in work { state.forget(work) }
      site.removeIfEmpty()
      return work
    }
    EffectWork.cancel(work)
  }

  /// Lets what a child has running be found under another id of the child.
  func move(_ place: EffectPlace, to id: AnyHashable) {
    guard EffectSite.anyIsChild else { return }
    state.withLock { $0.knownSite(at: place)?.move(to: id) }
  }

  /// What runs at a place, or ran there last and was ended; nil when nothing does.
  func site(of place: EffectPlace) -> EffectSite? {
    state.withLock { $0.knownSite(at: place) }
  }

  /// Whether the child of a site is there no more.
  func isOver(_ site: EffectSite) -> Bool {
    state.withLock { _ in site.isOver }
  }
}

// MARK: - Intervals

extension EffectRegistry {
  /// The interval in which an id is throttled at a place, if there is one.
  func interval(of id: CancelID, at place: EffectPlace) -> ThrottleInterval? {
    state.withLock { $0.knownSite(at: place)?.intervals[id] }
  }

  /// Begins an interval; it is kept until it is over, and as long as the child is there.
  func begin(_ interval: ThrottleInterval, of id: CancelID, at place: EffectPlace) {
    var intervals = state.withLock { $0.knownSite(at: place)?.intervals } ?? [:]
    let isNew = intervals.updateValue(interval, forKey: id) == nil
    // Now and then, as looking at all of them takes as long as there are many.
    if isNew, intervals.count.nonzeroBitCount == 1 {
      intervals = intervals.filter { !$0.value.isOver() }
    }
    state.withLock { $0.site(at: place).intervals = intervals }
  }

  /// Ends all intervals, at all places.
  func endIntervals() {
    let ended = state.withLock { state -> [ThrottleInterval] in
      var ended: [ThrottleInterval] = []
      state.root.endIntervals(&ended)
      return ended
    }
    // Let go of outside of the lock, as clocks may end with them.
    withExtendedLifetime(ended) {}
  }
}

/// The time in which what is throttled has to wait.
struct ThrottleInterval: Sendable {
  let isOver: @Sendable () -> Bool
  /// Waits for its end.
  let wait: @Sendable () async throws -> Void
}

// MARK: - Sites

extension EffectRegistry.State {
  /// The site of a place; makes it if there is none.
  func site(at place: EffectPlace) -> EffectSite {
    if let site = knownSite(at: place) { return site }
    guard let parent = place.parent, let path = place.path else { return root }
    let site = site(at: parent).addChild(at: path, id: place.id)
    place.site = site
    return site
  }

  /// The site of a place, if there is one.
  func knownSite(at place: EffectPlace) -> EffectSite? {
    guard let parent = place.parent, let path = place.path else { return root }
    if let site = place.site, site.parent != nil || site.isOver { return site }
    let site = knownSite(at: parent)?.children(at: path)?[place.id]
    place.site = site
    return site
  }

  /// Lets work be found no more, by its ids and at its place.
  func forget(_ work: EffectWork) {
    guard let entry = entries[work.serial] else { return }
    for (id, site) in entry.ids {
      site.byID[id]?[work.serial] = nil
      if site.byID[id]?.isEmpty == true { site.byID[id] = nil }
    }
    entry.site.work[work.serial] = nil
    entry.site.removeIfEmpty()
  }
}

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

  /// Goes to another id, and takes the place of what may be there.
  func move(to id: AnyHashable) {
    guard let parent, let path else { return }
    parent.remove(self)
    if let other = parent.children(at: path)?[id] { parent.remove(other) }
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
