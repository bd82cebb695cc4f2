public import Observation
import StoreState

/// A store is observed by reading it: `withObservationTracking`, ``observe(isolation:_:)`` and
/// `Observations` are told when something that they have read of it has changed.
///
/// - What is read by `store.count` is that value; reading a property of a child's state through
///   `store.child.count` is reading all of `child`: scope to be told of less.
/// - Scoping to an optional child, `store.scope(\.child, …)`, observes whether it appears,
///   disappears or is replaced.
/// - Scoping to a list observes its ids and their order.
/// - `store.state` and ``Store/withState(_:)`` observe the state as a whole.
/// - ``StoreEnd/init(of:)`` observes the end.
///
/// Changes are told once for each revision, when all stores have the new state, and to those who
/// read a parent before those who read its children. A value counts as changed when it differs by
/// `==`; one that travels between processes, also when its bytes differ; one that cannot be
/// compared, when its memory differs.
///
/// Whoever waits for a change of a child's store keeps the child observed, though nobody has its
/// store any more; but nobody who waits keeps a root alive.
extension Store: Observable {}

extension Store {
  /// A part of the state, noted as read where somebody wants to know.
  func observed<Value>(_ keyPath: KeyPath<State, Value>) -> Value {
    if ObservationProbe.isTracking { node.note(keyPath) }
    return node.state[keyPath: keyPath]
  }

  /// The whole state, noted as read where somebody wants to know.
  func observedState() -> State {
    if ObservationProbe.isTracking { node.noteState() }
    return node.state
  }

  /// Reads a state that is an enum, and notes as read only which case it is of.
  ///
  /// Where the case's value is `Identifiable`, also which value it is. For generated code.
  ///
  /// - Parameter body: Reads the state; what it reads is not noted.
  /// - Returns: What the closure returns.
  public func _$readingCase<R>(_ body: (_ state: State) throws -> R) rethrows -> R {
    if ObservationProbe.isTracking { node.noteCase() }
    return try body(node.state)
  }

  /// How much of the store somebody may be waiting for.
  package var readCount: Int { node.readCount }
}
