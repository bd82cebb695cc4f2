import StoreState

/// What has been read of one store for somebody who wants to be told when it changes.
///
/// A store has one as soon as anything has been read of it inside of a tracking. After each commit
/// the reads are compared with the new state; those that would give something else are dropped, and
/// then whoever read them is told. Reads that nobody waits for any more are dropped, too. So what
/// is not observed, or no longer, costs nothing.
///
/// It holds the state's source, but nobody who waits holds it: who waits keeps no store alive.
@MainActor
final class StoreReads<State> {
  private let subject = ObservationSubject()
  private let state: () -> State
  private let subscribe: (@escaping @MainActor () -> Void) -> StoreSubscription
  private let ignored: [AnyKeyPath]
  private var reads: [StoreReadID: StoreRead<State>] = [:]
  /// The state that all reads were last compared with; nil when some were not compared with it.
  private var checked: State?
  /// What has changed without having been told yet.
  private var overdue: [StoreRead<State>] = []
  private var subscription: StoreSubscription?
  private var limit = 64

  init<Action>(of core: any StoreCore<State, Action>) {
    state = { core.state }
    subscribe = { core.observeChanges($0) }
    ignored = (State.self as? any ObservableState.Type)?.ignored ?? []
  }

  /// How many reads somebody may be waiting for.
  var count: Int { reads.count }

  /// Notes that something has been read.
  ///
  /// - Parameters:
  ///   - kind: What is read at the key path.
  ///   - source: Where it is read; nil for the state as a whole.
  ///   - state: The state that it was read of.
  ///   - seen: Reads it.
  ///   - isSame: Whether a value that is read later is the same.
  func note<Seen>(
    _ kind: StoreReadID.Kind,
    at source: AnyKeyPath?,
    of state: State,
    seen: @escaping (State) -> Seen,
    isSame: @autoclosure () -> (Seen, Seen) -> Bool,
  ) {
    let id = StoreReadID(kind: kind, source: source.map { ObjectIdentifier($0) })
    if let known = reads[id] {
      if !known.hasChanged(state) { return subject.access(known.keyPath) }
      // Read again between a commit and the check that is still to come: by somebody whom another
      // store has told, and who must not be told from inside of that.
      overdue.append(known)
    }
    if let source, ignored.contains(source) { return }
    let isSame = isSame()
    let value = seen(state)
    let read = StoreRead<State>(source: source) { !isSame(value, seen($0)) }
    subject.access(read.keyPath)
    add(read, as: id)
  }

  private func add(_ read: StoreRead<State>, as id: StoreReadID) {
    reads[id] = read
    checked = nil
    if subscription == nil { subscription = subscribe { [weak self] in self?.check() } }
    guard reads.count > limit else { return }
    _ = takeFromTable { _ in false }
    limit = max(64, reads.count * 2)
  }

  /// Tells those who wait for what has changed.
  private func check() {
    if reads.isEmpty, overdue.isEmpty {
      subscription = nil
      checked = nil
      return
    }
    let state = state()
    if let checked, haveSameMemory(checked, state), overdue.isEmpty { return }
    checked = state
    let changed = overdue + takeFromTable { $0.hasChanged(state) }
    overdue = []
    for read in changed { subject.changed(read.keyPath) }
  }

  /// Takes out what nobody waits for and what has changed, and returns the latter.
  private func takeFromTable(
    _ hasChanged: (StoreRead<State>) -> Bool
  ) -> [StoreRead<State>] {
    var gone: [StoreReadID] = []
    var changed: [StoreRead<State>] = []
    // Not "indices", which hold the table, and with it each key path once more.
    var index = reads.startIndex
    while index != reads.endIndex {
      defer { reads.formIndex(after: &index) }
      if isKnownUniquelyReferenced(&reads.values[index].keyPath) {
        gone.append(reads.keys[index])
      } else if hasChanged(reads.values[index]) {
        changed.append(reads.values[index])
        gone.append(reads.keys[index])
      }
    }
    for id in gone { reads[id] = nil }
    return changed
  }
}

/// What a read is found by.
struct StoreReadID: Hashable {
  enum Kind {
    /// A value.
    case value
    /// Which child is there, if any.
    case presence
    /// The ids of a list's rows, in their order.
    case ids
    /// Which case an enum is of.
    case enumCase
  }

  let kind: Kind
  let source: ObjectIdentifier?
}

/// One thing that was read.
struct StoreRead<State> {
  /// Kept so that its address is that of no other key path.
  private let source: AnyKeyPath?
  /// Whoever waits holds it.
  var keyPath: KeyPath<ObservationSubject, Bool>
  let hasChanged: (State) -> Bool

  init(source: AnyKeyPath?, hasChanged: @escaping (State) -> Bool) {
    self.source = source
    keyPath = ObservationSubject.keyPath(ObservationMark())
    self.hasChanged = hasChanged
  }
}

extension ObservableState {
  fileprivate static var ignored: [AnyKeyPath] { _$ignoredKeyPaths }
}
