public import Observation
import StoreState

/// Reading a store observes it: `withObservationTracking`, ``observe(isolation:_:)`` and
/// `Observations` are notified when a value that they have read of it changes.
///
/// - `store.count` reads that value. Reading a property of a child's state by `store.child.count`
///   reads all of `child`: scope to the child for fewer notifications.
/// - Scoping to an optional child, `store.scope(\.child, …)`, observes whether it appears,
///   disappears or is replaced.
/// - Scoping to a list observes its ids and their order.
/// - `store.state` and ``Store/withState(_:)`` observe the state as a whole.
/// - ``StoreEnd/init(of:)`` observes the end.
///
/// Observers are notified once for each revision, after all stores have the new state, and readers
/// of a parent before readers of its children. A value has changed if it differs by `==`; for a
/// type with a wire form, also if its encoding differs; for a type without `==`, if its
/// memory differs.
///
/// An observer of a child's store keeps the child observed, even after the store is released; but
/// no observer keeps a root alive.
extension Store: Observable {}

extension Store {
  /// A part of the state, noted as read within a tracking.
  func observed<Value>(_ keyPath: KeyPath<State, Value>) -> Value {
    if ObservationProbe.isTracking { node.note(keyPath) }
    return node.state[keyPath: keyPath]
  }

  /// The whole state, noted as read within a tracking.
  func observedState() -> State {
    if ObservationProbe.isTracking { node.noteState() }
    return node.state
  }

  /// Reads an enum state, and notes only its case as read.
  ///
  /// If the case's value is `Identifiable`, also its id. For generated code.
  ///
  /// - Parameter body: Reads the state; its reads are not noted.
  /// - Returns: The closure's result.
  public func _$readingCase<R>(_ body: (_ state: State) throws -> R) rethrows -> R {
    if ObservationProbe.isTracking { node.noteCase() }
    return try body(node.state)
  }

  /// The number of reads that may have waiters.
  package var readCount: Int { node.readCount }
}
