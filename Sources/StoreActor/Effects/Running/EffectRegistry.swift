import Synchronization

/// The running work of one root, by place and by cancellation id.
///
/// It is also the outermost place.
///
/// The mutex guards `state` and its tree of sites, as ids may be cancelled from any isolation
/// (`Task.cancel(id:)` in an effect). No callback runs while the mutex is held. Work that is
/// cancelled together is cancelled in the order in which it was created.
@usableFromInline
package final class EffectRegistry: EffectPlace, @unchecked Sendable {
  struct State {
    var entries: [Int: Entry] = [:]
    let root = EffectSite(parent: nil, path: nil, id: AnyHashable(0))
    /// Changes of the step in progress, which may be abandoned; oldest first.
    var changes: [StepChange] = []
  }

  /// A piece of work and its positions.
  struct Entry {
    let work: EffectWork
    let site: EffectSite
    /// One for each id and each prefix of that id's place.
    let ids: [(id: CancelID, site: EffectSite)]
  }

  let state = Mutex(State())
  // The following six belong to the thread of the reducers, which is the main one in a store.
  /// Whether a step is in progress: its changes can be taken back.
  @exclusivity(unchecked) var isInStep = false
  /// Whether the step in progress has changed the registry or is to cancel work.
  @exclusivity(unchecked) var hasStepChanges = false
  /// Whether a reducer was informed of the daemon's start in the step in progress.
  var hasStarted = false
  /// The work that the step in progress cancels at its end, in the order of the cancellations.
  var stepCancellations: [[EffectWork]] = []
  /// The thread of the step in progress; 0 if the process had shared no value at its begin.
  @exclusivity(unchecked) var stepThread: UInt = 0
  /// The step's changes of shared values, if its root's state shows no such values.
  var looseEdits: SharedContext?
  private let absenceCell = Atomic(Absence.fault)

  package init() {
    super.init(parent: nil, path: nil, isPresented: false)
  }

  deinit {
    state.withLock { $0.root.removeChildren() }
  }

  override var registry: EffectRegistry { self }

  /// The meaning of an absent child for the action in progress.
  var absence: Absence {
    get { absenceCell.load(ordering: .relaxed) }
    set { absenceCell.store(newValue, ordering: .relaxed) }
  }

  /// The number of pieces of work that are running.
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
    // Released outside of the lock, as the release may run arbitrary deinitializers.
    withExtendedLifetime(entry) {}
  }

  /// Cancels the work under an id at a place and below it.
  func cancel(_ id: CancelID, at place: EffectPlace) {
    EffectWork.cancel(work(under: id, at: place))
  }

  /// The work under an id at a place and below it.
  func work(under id: CancelID, at place: EffectPlace) -> [EffectWork] {
    state.withLock { $0.knownSite(at: place)?.byID[id].map { Array($0.values) } ?? [] }
  }

  /// Cancels all work.
  package func cancelAll() { cancelAll(besides: []) }

  /// Cancels all work, except for that with the given serials.
  func cancelAll(besides serials: Set<Int>) {
    EffectWork.cancel(
      state.withLock { state in
        state.entries.values.map(\.work).filter { !serials.contains($0.serial) }
      }
    )
  }

  /// The serials of all work.
  var serials: Set<Int> { state.withLock { Set($0.entries.values.map(\.work.serial)) } }

  /// All schedules.
  @MainActor var schedules: [EffectWork] {
    state.withLock { $0.entries.values.map(\.work) }.filter { $0.schedule != nil }
  }

  /// Whether any work runs under an id at a place or below it.
  package func isRunning(_ id: CancelID, at place: EffectPlace? = nil) -> Bool {
    state.withLock { $0.knownSite(at: place ?? self)?.byID[id] != nil }
  }
}

// MARK: - Children

extension EffectRegistry {
  /// The ids of a place's children at a path that have running work.
  package func children(of place: EffectPlace, at path: ChildrenPath) -> [AnyHashable] {
    state.withLock { state in
      // Sound: ids are values.
      UncheckedSendable(state.knownSite(at: place)?.children(at: path).map { Array($0.keys) })
    }
    .value ?? []
  }

  /// The site of a place, also after it has ended; nil if no work runs there.
  func site(of place: EffectPlace) -> EffectSite? {
    state.withLock { $0.knownSite(at: place) }
  }

  /// Whether the child of a site is absent.
  func isOver(_ site: EffectSite) -> Bool {
    state.withLock { _ in site.isOver }
  }
}

// MARK: - Sites

extension EffectRegistry.State {
  /// The site of a place; creates it if it is absent.
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

  /// Removes work from the lookup by id and by place.
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
