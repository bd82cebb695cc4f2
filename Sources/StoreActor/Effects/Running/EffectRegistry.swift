import Synchronization

/// What one root has running, by place and by cancellation id: itself the outermost place.
///
/// `state`, and with it all that hangs on its site, is guarded by its mutex, as ids may be
/// cancelled from any isolation (`Task.cancel(id:)` in an effect). Nothing is called while the
/// mutex is held.
/// Whatever is cancelled together is cancelled in the order in which it came.
@usableFromInline
package final class EffectRegistry: EffectPlace, @unchecked Sendable {
  struct State {
    var entries: [Int: Entry] = [:]
    let root = EffectSite(parent: nil, path: nil, id: AnyHashable(0))
    /// Where sites were before the action in progress, which may come to nothing; oldest first.
    var moves: [EffectSite.Move] = []
  }

  /// A piece of work, and where it is to be found.
  struct Entry {
    let work: EffectWork
    let site: EffectSite
    /// One for each id and each prefix of that id's place.
    let ids: [(id: CancelID, site: EffectSite)]
  }

  let state = Mutex(State())
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
  ///
  /// Where the action in progress may come to nothing, ``endMoves(areKept:)`` has to follow.
  func move(_ place: EffectPlace, to id: AnyHashable) {
    guard EffectSite.anyIsChild else { return }
    let mayBeTakenBack = absence != .fault
    state.withLock { state in
      guard let move = state.knownSite(at: place)?.move(to: id), mayBeTakenBack else { return }
      state.moves.append(move)
    }
  }

  /// Ends an action that might have come to nothing.
  ///
  /// - Parameter areKept: Whether children keep the ids that they went to by the action; else each
  ///   has the id again that it had before.
  func endMoves(areKept: Bool) {
    guard EffectSite.anyIsChild else { return }
    state.withLock { state in
      if !areKept { for move in state.moves.reversed() { move.takeBack() } }
      state.moves = []
    }
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
