import Synchronization

/// The link between a root's state and its shared values.
@MainActor
final class RootSharing<State>: SharedObserver {
  private let plan: SharedPlan
  /// The version that the state shows.
  private var version: UInt64
  private var step: SharedContext?
  /// The version that the state shows if the step is discarded.
  private var versionBefore: UInt64
  /// Whether a value that the state shows may have changed.
  private let isPending = Atomic(false)
  private let onChange: @MainActor () -> Void

  /// Begins to show shared values in a root's state.
  ///
  /// - Parameters:
  ///   - plan: The positions of the values in it.
  ///   - version: The version that the state shows; nil if it shows none yet.
  ///   - onChange: Called when others have changed values, in the main actor's next turn.
  init(_ plan: SharedPlan, version: UInt64?, onChange: @escaping @MainActor () -> Void) {
    self.plan = plan
    self.version = version ?? .max
    versionBefore = self.version
    self.onChange = onChange
    SharedLock.add(self)
    if let version, SharedLock.version != version { sharedValuesChanged() }
  }

  deinit { SharedLock.remove(ObjectIdentifier(self)) }

  nonisolated func sharedValuesChanged() {
    guard !isPending.exchange(true, ordering: .relaxed) else { return }
    Task { @MainActor [weak self] in self?.tell() }
  }

  private func tell() { if isBehind { onChange() } }

  /// Whether others have changed values since the state was updated.
  var isBehind: Bool { isPending.load(ordering: .relaxed) }

  /// Begins a step.
  ///
  /// - Parameter state: The state, which shows the newest values when this returns.
  /// - Returns: Whether it showed other values before.
  @discardableResult
  func begin(_ state: UnsafeMutablePointer<State>) -> Bool {
    isPending.store(false, ordering: .relaxed)
    let step = SharedLock.begin(self)
    self.step = step
    versionBefore = version
    guard step.version != version else { return false }
    version = step.version
    var isChanged = false
    SnapshotUpdate.performAll { isChanged = updateSnapshots(state, nil) || isChanged }
    // If no value changes, the state without the step shows this version, too.
    if !isChanged { versionBefore = version }
    return isChanged
  }

  /// Ends a step.
  ///
  /// - Parameters:
  ///   - state: The state, which shows the step's last view when this returns.
  ///   - old: The state before the step.
  func end(_ state: UnsafeMutablePointer<State>, from old: UnsafePointer<State>) {
    guard let step else { return }
    SnapshotUpdate.performAll {
      let isUnmoved = step.version == version
      version = step.version
      _ = updateSnapshots(state, isUnmoved ? old : nil)
    }
    self.step = nil
    SharedLock.withLock {
      SharedLock.end(step)
      // Others' changes during the step did not reach it.
      if SharedLock.version != version { sharedValuesChanged() }
    }
  }

  /// Discards a step: its changes are reverted, except for values that others have changed since.
  func giveUp() {
    guard let step else { return }
    self.step = nil
    SharedLock.withLock {
      step.takeBack()
      SharedLock.end(step)
      version = versionBefore
      if SharedLock.version != version { sharedValuesChanged() }
    }
  }

  private func updateSnapshots(
    _ state: UnsafeMutablePointer<State>,
    _ old: UnsafePointer<State>?,
  ) -> Bool {
    let snapshots = SnapshotUpdate(context: step)
    guard plan.isBehind(UnsafeRawPointer(state), old.map { UnsafeRawPointer($0) }, snapshots) else {
      return false
    }
    plan.updateSnapshots(UnsafeMutableRawPointer(state), snapshots)
    return true
  }
}

/// Shared values in states without a root.
enum SharedStates {
  /// Updates a state to the values that this thread sees.
  ///
  /// - Parameter state: The state.
  /// - Returns: The version that it shows.
  @discardableResult
  static func updateSnapshots<State>(_ state: inout State) -> UInt64 {
    guard SharedLock.isUsed else { return 0 }
    var version: UInt64 = 0
    SnapshotUpdate.performAll {
      let context = SharedLock.current
      SnapshotUpdate(context: context).updateSnapshots(&state)
      version = context?.version ?? SharedLock.version
    }
    return version
  }

  /// Whether a state differs from the values that this thread sees.
  static func areBehind<State>(_ state: State) -> Bool {
    guard SharedLock.isUsed else { return false }
    return SharedLock.withLock {
      let snapshots = SnapshotUpdate(context: SharedLock.current)
      return snapshots.values(of: State.self)?.areBehind(state) ?? false
    }
  }

  /// Shares the restored values in a state, for properties with keys.
  static func adopt<State>(_ state: State) {
    guard SharedLock.isUsed else { return }
    SnapshotUpdate.perform {
      let values = SnapshotUpdate(context: nil, adopts: true).values(of: State.self)
      _ = values?.areBehind(state)
    }
  }

  /// Runs a closure that describes an expected state: its changes of shared values are visible only
  /// to itself, and everywhere in the state.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - version: The version of shared values at which it begins.
  ///   - update: Changes the state.
  /// - Returns: Whether it has set a shared value.
  /// - Throws: The closure's error.
  static func expect<State>(
    _ state: inout State,
    from version: UInt64,
    _ update: (inout State) throws -> Void,
  ) rethrows -> Bool {
    let context = SharedLock.begin(nil, from: version)
    defer {
      updateSnapshots(&state)
      SharedLock.end(context)
    }
    try update(&state)
    return !context.expected.isEmpty
  }
}
