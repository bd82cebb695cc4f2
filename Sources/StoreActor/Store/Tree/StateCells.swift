/// The places of a root core's state: the one that all see, and one for the step in progress.
///
/// A step copies the state to the second place, reduces it there, and then the two change roles.
/// So it copies once. With a property it would copy three times, since code that does not know a
/// type copies what it reads from a property before it hands it on; and a copy retains every
/// reference in the state. Therefore the memory is of the cells' own. They are an object because
/// an object knows its type: for a value, such code looks metadata up.
///
/// What every action touches is not checked for overlapping accesses, as in ``RootCore``.
final class StateCells<State> {
  /// The state after the last commit; always initialised.
  @exclusivity(unchecked) private(set) var current: UnsafeMutablePointer<State>
  /// From ``begin()`` to ``commit()`` the state of the step in progress, from then on the one
  /// before it, until someone has moved it out or dropped it.
  @exclusivity(unchecked) private(set) var other: UnsafeMutablePointer<State>

  init(_ state: consuming State) {
    current = .allocate(capacity: 1)
    other = .allocate(capacity: 1)
    current.initialize(to: state)
  }

  deinit {
    // A step needs its core, which therefore cannot go in the middle of it: `other` is empty.
    current.deinitialize(count: 1)
    current.deallocate()
    other.deallocate()
  }

  /// Copies the state for the next step, which is then at ``other``.
  func begin() { other.initialize(to: current.pointee) }

  /// Takes the next state as it is.
  func begin(with state: consuming State) { other.initialize(to: state) }

  /// Makes the step's state the current one.
  func commit() {
    let old = current
    current = other
    other = old
  }

  /// Forgets the state before the step.
  func dropOld() { other.deinitialize(count: 1) }
}
