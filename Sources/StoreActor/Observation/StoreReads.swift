import StoreState

/// The reads of one node whose observers want to be notified of changes.
///
/// A commit that visits the node compares the reads with the new state. Reads with a different
/// result are dropped, and their observers are notified. Reads without waiters are dropped, too. So
/// unobserved state has no cost.
///
/// Observers do not hold this object: an observer keeps no store alive.
@MainActor
final class StoreReads<State> {
  /// Whether the value of a read differs between two states.
  typealias HasChanged =
    @MainActor (_ old: UnsafePointer<State>, _ new: UnsafePointer<State>) -> Bool

  private weak var node: StoreNode<State>?
  private let subject = ObservationSubject()
  /// In the order of the first reads.
  private var reads: [StoreRead<State>] = []
  /// The indices of the reads by id, if there are too many for a linear search; nil if outdated.
  private var places: [StoreReadID: Int]?
  private lazy var ignored = (State.self as? any ObservableState.Type)?.ignored ?? []

  init(of node: StoreNode<State>) { self.node = node }

  /// The number of reads that may have waiters.
  var count: Int { reads.count }
  var isEmpty: Bool { reads.isEmpty }

  /// Notes a read.
  ///
  /// - Parameters:
  ///   - id: The id of the read.
  ///   - hasChanged: Creates the comparison that detects a change.
  /// - Returns: Whether the read is new.
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

  /// The index of a read.
  ///
  /// A key path that is created for each read leads to many of them.
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

  /// Collects notices for the reads that have changed.
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

  /// Notifies the waiters of a collected read.
  ///
  /// An observer that changes its own reads by an action, in the middle of reading, begins to wait
  /// only afterwards: it is notified of the next change of any kind.
  fileprivate func tell(_ read: inout StoreRead<State>) {
    subject.changed(read.keyPath)
    guard !isKnownUniquelyReferenced(&read.keyPath), let node, node.end == nil else { return }
    read.hasChanged = { _, _ in true }
    append(read)
    node.updateWaiting()
  }

  /// Collects notices of the end; no other change follows.
  func collectEnd(_ tree: StoreTree) {
    removeAll { read in
      if read.id.kind == .end { tree.add(.read(ToldRead(read, of: self))) }
      return true
    }
  }

  /// Drops reads without waiters.
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

/// The identity of a read.
struct StoreReadID: Hashable {
  enum Kind {
    /// The value at a key path.
    case value
    /// The value that a binding shows.
    case binding
    /// Whether an absent child is present now.
    case presence
    /// Whether the node has ended.
    case end
    /// The ids of a list's rows, in their order.
    case ids
    /// The case of an enum.
    case enumCase
  }

  let kind: Kind
  /// The key path of the read; nil for the whole state.
  let source: AnyKeyPath?

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.kind == rhs.kind && lhs.source === rhs.source
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(source.map(ObjectIdentifier.init))
  }
}

/// One read.
struct StoreRead<State> {
  let id: StoreReadID
  /// Waiters hold a reference to it.
  var keyPath = ObservationSubject.keyPath(ObservationMark())
  var hasChanged: StoreReads<State>.HasChanged
}

/// A read that has changed, until its waiters are notified.
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

  /// Notes that an absent child was requested.
  final func notePresence<Child>(_ keyPath: KeyPath<State, Child?>) {
    note(StoreReadID(kind: .presence, source: keyPath)) {
      hasChanged(==) { $0[keyPath: keyPath] != nil }
    }
  }

  /// Notes an observer of the end.
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

  /// Compares the present result with the next one, so that each state is evaluated once.
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
