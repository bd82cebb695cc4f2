import Synchronization

/// What a root's state shows of shared values.
@MainActor
final class RootSharing<State>: SharedObserver {
  private let plan: SharedPlan
  /// The version that the state shows.
  private var version: UInt64
  private var step: SharedContext?
  /// The version that the state shows if the step is given up.
  private var versionBefore: UInt64
  /// Whether a value may have changed that the state shows.
  private let isPending = Atomic(false)
  private let onChange: @MainActor () -> Void

  /// Shows shared values in a root's state from now on.
  ///
  /// - Parameters:
  ///   - plan: Where they are in it.
  ///   - version: The version that the state shows; nil where it shows none yet.
  ///   - onChange: Is called when others have changed values, in the main actor's next turn.
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

  /// A step begins.
  ///
  /// - Parameter state: The state, which shows the newest values when this returns.
  /// - Returns: Whether it showed others before.
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
    // Where nothing changes, what is without the step shows this version, too.
    if !isChanged { versionBefore = version }
    return isChanged
  }

  /// A step ends.
  ///
  /// - Parameters:
  ///   - state: The state, which shows what the step has seen last when this returns.
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
      // What others changed meanwhile, who did not tell this step.
      if SharedLock.version != version { sharedValuesChanged() }
    }
  }

  /// A step is given up: what it has changed is taken back, where nobody else has changed it since.
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

/// Shared values in states that no root holds.
enum SharedStates {
  /// Shows in a state what this thread sees.
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

  /// Whether a state shows other than this thread sees.
  static func areBehind<State>(_ state: State) -> Bool {
    guard SharedLock.isUsed else { return false }
    return SharedLock.withLock {
      let snapshots = SnapshotUpdate(context: SharedLock.current)
      return snapshots.values(of: State.self)?.areBehind(state) ?? false
    }
  }

  /// Shares what was kept in a state, where it has keys.
  static func adopt<State>(_ state: State) {
    guard SharedLock.isUsed else { return }
    SnapshotUpdate.perform {
      let values = SnapshotUpdate(context: nil, adopts: true).values(of: State.self)
      _ = values?.areBehind(state)
    }
  }

  /// Runs a closure that says what it expects of a state: its changes of shared values are seen by
  /// nobody else, and everywhere in the state.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - version: The version of shared values that it begins with.
  ///   - update: Changes the state.
  /// - Returns: Whether it has set a shared value.
  /// - Throws: What the closure throws.
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
