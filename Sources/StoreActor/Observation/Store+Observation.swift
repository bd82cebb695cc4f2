public import Observation
import StoreState

/// A store is observed by reading it: `withObservationTracking`, ``observe(_:)`` and `Observations`
/// are told when something that they have read of it has changed.
///
/// - What is read by `store.count` is that value; reading a property of a child's state through
///   `store.child.count` is reading all of `child`: scope to be told of less.
/// - An optional child's store, `store.scope(\.child, …)`, is its coming, going and being another.
/// - A list's stores are its ids in their order.
/// - `store.state` and ``Store/withState(_:)`` are the state as a whole.
///
/// Changes are told once for each revision, when the store has the new state. A value counts as
/// changed when it differs by `==`; one that cannot be compared, when its memory differs.
extension Store: Observable {}

extension Store {
  /// A part of the state, noted as read where somebody wants to know.
  func observed<Value>(_ keyPath: KeyPath<State, Value>) -> Value {
    let state = core.state
    if ObservationProbe.isTracking {
      tracked.note(
        .value,
        at: keyPath,
        of: state,
        seen: { $0[keyPath: keyPath] },
        isSame: Sameness.of(Value.self),
      )
    }
    return state[keyPath: keyPath]
  }

  /// The whole state, noted as read where somebody wants to know.
  func observedState() -> State {
    let state = core.state
    if ObservationProbe.isTracking {
      tracked.note(.value, at: nil, of: state, seen: \.self, isSame: Sameness.of(State.self))
    }
    return state
  }

  /// Notes as read which child is there, if any.
  func observePresence<Child>(_ keyPath: KeyPath<State, Child?>) {
    guard ObservationProbe.isTracking else { return }
    let identity = ChildIdentity<Child>(.idOnly)
    tracked.note(
      .presence,
      at: keyPath,
      of: core.state,
      seen: { $0[keyPath: keyPath].map { identity($0) } },
      isSame: ==,
    )
  }

  /// The rows of a list, of which the ids and their order are noted as read.
  func observedRows<ID, Row>(
    _ keyPath: KeyPath<State, IdentifiedArray<ID, Row>>
  ) -> IdentifiedArray<ID, Row> {
    let state = core.state
    if ObservationProbe.isTracking {
      tracked.note(
        .ids,
        at: keyPath,
        of: state,
        seen: { $0[keyPath: keyPath].ids },
        isSame: { haveSameMemory($0, $1) || $0 == $1 },
      )
    }
    return state[keyPath: keyPath]
  }

  /// Reads a state that is an enum, and notes as read only which case it is of.
  ///
  /// Where the case's value is `Identifiable`, also which value it is. For generated code.
  ///
  /// - Parameter body: Reads the state; what it reads is not noted.
  /// - Returns: What the closure returns.
  public func _$readingCase<R>(_ body: (_ state: State) throws -> R) rethrows -> R {
    let state = core.state
    if ObservationProbe.isTracking {
      let identity = ChildIdentity<State>(.idOrCase)
      tracked.note(
        .enumCase,
        at: nil,
        of: state,
        seen: { [($0 as? any ObservableState).map { AnyHashable($0._$id) }, identity($0)] },
        isSame: ==,
      )
    }
    return try body(state)
  }

  /// How much of the store somebody may be waiting for.
  package var readCount: Int { reads?.count ?? 0 }

  private var tracked: StoreReads<State> {
    if let reads { return reads }
    let reads = StoreReads<State>(of: core)
    self.reads = reads
    return reads
  }
}
