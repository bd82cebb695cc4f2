/// The two memory cells of a root core's state: the committed state, and the state of the
/// current step.
///
/// A step copies the state to the second cell and reduces it there; then the cells swap roles. So
/// it copies once. With a property it would copy three times, since unspecialized code copies a
/// property's value before it passes it on, and a copy retains every reference in the state.
/// Therefore the cells own the memory. They are an object because an object knows its type: for a
/// value, unspecialized code looks up metadata.
///
/// Properties that every action uses are not checked for overlapping accesses, as in ``RootCore``.
final class StateCells<State> {
  /// The state after the last commit; always initialised.
  @exclusivity(unchecked) private(set) var current: UnsafeMutablePointer<State>
  /// From ``begin(copiesPadding:)`` to ``commit()`` the state of the current step; then the
  /// previous state, until it is moved out or dropped.
  @exclusivity(unchecked) private(set) var other: UnsafeMutablePointer<State>

  init(_ state: consuming State) {
    current = .allocate(capacity: 1)
    other = .allocate(capacity: 1)
    current.initialize(to: state)
  }

  deinit {
    // A step holds its core, which therefore outlives the step: `other` is empty here.
    current.deinitialize(count: 1)
    current.deallocate()
    other.deallocate()
  }

  /// Copies the state for the next step to ``other``.
  ///
  /// - Parameter copiesPadding: Whether bytes between the state's fields are copied, too, so that
  ///   an unchanged state is recognized by its memory.
  func begin(copiesPadding: Bool) {
    if copiesPadding {
      UnsafeMutableRawPointer(other)
        .copyMemory(from: UnsafeRawPointer(current), byteCount: MemoryLayout<State>.size)
    }
    other.initialize(to: current.pointee)
  }

  /// Sets the next state to a given one.
  func begin(with state: consuming State) { other.initialize(to: state) }

  /// Makes the step's state the current one.
  func commit() {
    let old = current
    current = other
    other = old
  }

  /// Destroys the previous state.
  func dropOld() { other.deinitialize(count: 1) }
}
