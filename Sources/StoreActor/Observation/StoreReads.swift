import StoreState

/// What has been read of one node for somebody who wants to be told when it changes.
///
/// When a commit comes by, the reads are compared with the new state. Those that would give
/// something else are dropped, and whoever read them is told; those that nobody waits for any more
/// are dropped, too. So what is not observed, or no longer, costs nothing.
///
/// Nobody who waits holds it: who waits keeps no store alive.
@MainActor
final class StoreReads<State> {
  /// Whether what was read has changed from one place to another.
  typealias HasChanged =
    @MainActor (_ old: UnsafePointer<State>, _ new: UnsafePointer<State>) -> Bool

  private weak var node: StoreNode<State>?
  private let subject = ObservationSubject()
  /// In the order of their first reading.
  private var reads: [StoreRead<State>] = []
  /// The places of the reads by their ids, where there are too many to look at each; nil when it is
  /// to be made.
  private var places: [StoreReadID: Int]?
  private lazy var ignored = (State.self as? any ObservableState.Type)?.ignored ?? []

  init(of node: StoreNode<State>) { self.node = node }

  /// How many reads somebody may be waiting for.
  var count: Int { reads.count }
  var isEmpty: Bool { reads.isEmpty }

  /// Notes that something has been read.
  ///
  /// - Parameters:
  ///   - id: What was read.
  ///   - hasChanged: Makes what finds out whether it has changed.
  /// - Returns: Whether it was not among the reads before.
  func note(_ id: StoreReadID, _ hasChanged: () -> HasChanged) -> Bool {
    if let place = place(of: id) {
      subject.access(reads[place].keyPath)
      return false
    }
    if let source = id.source, ignored.contains(source) { return false }
    let read = StoreRead<State>(id: id, hasChanged: hasChanged())
    subject.access(read.keyPath)
    append(read)
    return true
  }

  /// Where a read is; a key path that is made anew for each read makes for many of them.
  private func place(of id: StoreReadID) -> Int? {
    guard reads.count > 16 else { return reads.firstIndex { $0.id == id } }
    if places == nil {
      places = Dictionary(
        reads.indices.map { (reads[$0].id, $0) },
        uniquingKeysWith: { first, _ in first },
      )
    }
    return places?[id]
  }

  private func append(_ read: StoreRead<State>) {
    if places?[read.id] == nil { places?[read.id] = reads.count }
    reads.append(read)
  }

  /// Collects those who wait for what has changed.
  func collect(
    from old: UnsafePointer<State>,
    to new: UnsafePointer<State>,
    _ tree: StoreTree,
    where isConcerned: (StoreReadID) -> Bool = { _ in true },
  ) {
    removeAll { read in
      guard isConcerned(read.id), read.hasChanged(old, new) else { return false }
      tree.add(.read(ToldRead(read, of: self)))
      return true
    }
  }

  /// Tells those who wait for a read that was collected.
  ///
  /// Whoever is in the middle of reading, and changed by an action what it had read, begins to wait
  /// only afterwards: it is told of the next change, whatever that is.
  fileprivate func tell(_ read: inout StoreRead<State>) {
    subject.changed(read.keyPath)
    guard !isKnownUniquelyReferenced(&read.keyPath), let node, node.end == nil else { return }
    read.hasChanged = { _, _ in true }
    append(read)
    node.updateWaiting()
  }

  /// Collects those who wait for the end; nothing else will change.
  func collectEnd(_ tree: StoreTree) {
    removeAll { read in
      if read.id.kind == .end { tree.add(.read(ToldRead(read, of: self))) }
      return true
    }
  }

  /// Drops what nobody waits for any more.
  func removeDead() { removeAll { _ in false } }

  private func removeAll(where isOver: (StoreRead<State>) -> Bool) {
    var kept = 0
    for index in reads.indices {
      if isKnownUniquelyReferenced(&reads[index].keyPath) || isOver(reads[index]) { continue }
      if kept != index { reads.swapAt(kept, index) }
      kept += 1
    }
    guard kept < reads.count else { return }
    reads.removeLast(reads.count - kept)
    places = nil
  }
}

/// What a read is known by.
struct StoreReadID: Hashable {
  enum Kind {
    /// A value.
    case value
    /// What a binding shows.
    case binding
    /// Whether an absent child has come.
    case presence
    /// Whether the node has ended.
    case end
    /// The ids of a list's rows, in their order.
    case ids
    /// Which case an enum is of.
    case enumCase
  }

  let kind: Kind
  /// Where it is read; nil for the state as a whole.
  let source: AnyKeyPath?

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.kind == rhs.kind && lhs.source === rhs.source
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(source.map(ObjectIdentifier.init))
  }
}

/// One thing that was read.
struct StoreRead<State> {
  let id: StoreReadID
  /// Whoever waits holds it.
  var keyPath = ObservationSubject.keyPath(ObservationMark())
  var hasChanged: StoreReads<State>.HasChanged
}

/// A read that has changed, until those who wait are told.
@MainActor
class AnyToldRead {
  func tell() {}
}

private final class ToldRead<State>: AnyToldRead {
  private var read: StoreRead<State>
  private let reads: StoreReads<State>

  init(_ read: StoreRead<State>, of reads: StoreReads<State>) {
    self.read = read
    self.reads = reads
  }

  override func tell() { reads.tell(&read) }
}

// MARK: - Kinds of reads

extension StoreNode {
  /// Notes that a part of the state was read.
  final func note<Value>(_ keyPath: KeyPath<State, Value>) {
    note(StoreReadID(kind: .value, source: keyPath)) {
      let isSame = Sameness.of(Value.self)
      if let offset = MemoryLayout<State>.offset(of: keyPath) {
        return { old, new in
          let old = (UnsafeRawPointer(old) + offset).assumingMemoryBound(to: Value.self)
          let new = (UnsafeRawPointer(new) + offset).assumingMemoryBound(to: Value.self)
          return !haveSameMemory(at: old, new) && !isSame(old.pointee, new.pointee)
        }
      }
      return hasChanged(isSame) { $0[keyPath: keyPath] }
    }
  }

  /// Notes that a part of the state was read through a binding.
  final func noteBinding<Value>(_ keyPath: KeyPath<State, Value>) {
    note(StoreReadID(kind: .binding, source: keyPath)) {
      let isSame = Sameness.of(Value.self)
      let seen = pendingValue(at: keyPath) ?? state[keyPath: keyPath]
      return { [unowned self] _, new in
        !isSame(seen, pendingValue(at: keyPath) ?? new.pointee[keyPath: keyPath])
      }
    }
  }

  /// Notes that the whole state was read.
  final func noteState() {
    note(StoreReadID(kind: .value, source: nil)) {
      let isSame = Sameness.of(State.self)
      return { old, new in !isSame(old.pointee, new.pointee) }
    }
  }

  /// Notes that a child was asked for that is absent.
  final func notePresence<Child>(_ keyPath: KeyPath<State, Child?>) {
    note(StoreReadID(kind: .presence, source: keyPath)) {
      hasChanged(==) { $0[keyPath: keyPath] != nil }
    }
  }

  /// Notes that somebody wants to know of the end.
  final func noteEnd() {
    note(StoreReadID(kind: .end, source: nil)) { { _, _ in false } }
  }

  /// Notes that a list's ids were read.
  final func noteIDs<ID, Row>() where State == IdentifiedArray<ID, Row> {
    note(StoreReadID(kind: .ids, source: nil)) {
      { old, new in
        let (old, new) = (old.pointee.ids, new.pointee.ids)
        return !haveSameMemory(old, new) && old != new
      }
    }
  }

  /// Notes that an enum's case was read.
  final func noteCase() {
    note(StoreReadID(kind: .enumCase, source: nil)) {
      let identity = ChildIdentity<State>(.idOrCase)
      return hasChanged(==) {
        [($0 as? any ObservableState).map { AnyHashable($0._$id) }, identity($0)]
      }
    }
  }

  /// Compares what is computed now with what will be, so that each state is asked once.
  private final func hasChanged<Seen>(
    _ isSame: @escaping (Seen, Seen) -> Bool,
    _ see: @escaping (State) -> Seen,
  ) -> StoreReads<State>.HasChanged {
    let seen = see(state)
    return { [tree] _, new in
      tree.evaluations += 1
      return !isSame(seen, see(new.pointee))
    }
  }
}

extension ObservableState {
  fileprivate static var ignored: [AnyKeyPath] { _$ignoredKeyPaths }
}
