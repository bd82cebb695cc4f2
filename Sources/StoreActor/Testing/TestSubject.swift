/// The subject of a ``TestStore``: a feature in this process, or one in a daemon, seen by a client.
@MainActor
package struct TestSubject<State, Action> {
  /// Receives the test's actions.
  package let core: any StoreCore<State, Action>

  /// Records the observations of the feature.
  package let recorder: TestRecorder<State, Action>

  /// Whether the recorder observes the feature's reducer, in any process.
  package let isObserved: Bool

  /// The dependencies of the feature.
  package let dependencies: Dependencies

  /// Whether the feature has dismissed itself.
  let dismissal: TestDismissal

  /// The fault of the core after a step of the test; nil without a fault.
  package let complaint: @MainActor () -> String?

  /// Whether two states that `==` distinguishes are the same; nil if `==` alone decides.
  let areSame: ((State, State) -> Bool)?

  /// Restarts the feature's daemon; nil if the feature is not observed.
  let restart: (@MainActor (_ interrupted: [InterruptedEffect]?, _ wasStopped: Bool) -> Void)?

  /// Access to the dependencies of a feature, and to the start of its daemon.
  package struct Dependencies {
    package let get: @MainActor () -> DependencyValues
    package let set: @MainActor (DependencyValues) -> Void
    /// Restarts the root's daemon.
    fileprivate let restart: (@MainActor ([InterruptedEffect]?, Bool) -> Void)?

    /// The dependencies of a root.
    @MainActor
    package init(of root: RootCore<some Any, some Any>) {
      get = { root.dependencies }
      set = { root.dependencies = $0 }
      root.namedWork = [:]
      restart = { root.restartForTest(interrupted: $0, wasStopped: $1) }
    }

    fileprivate init() {
      get = { ._current }
      set = { _ in }
      restart = nil
    }
  }

  /// A subject whose reductions are recorded.
  ///
  /// - Parameters:
  ///   - core: Receives the test's actions.
  ///   - recorder: Records the observations of the feature.
  ///   - dependencies: The dependencies of the feature.
  ///   - dismissal: Whether the feature has dismissed itself.
  ///   - areSame: Whether two states that `==` distinguishes are the same; nil if `==` decides.
  ///   - complaint: The fault of the core after a step of the test.
  package init(
    core: any StoreCore<State, Action>,
    recorder: TestRecorder<State, Action>,
    dependencies: Dependencies,
    dismissal: TestDismissal,
    areSame: ((State, State) -> Bool)? = nil,
    complaint: @escaping @MainActor () -> String?,
  ) {
    self.areSame = areSame
    self.dismissal = dismissal
    self.core = core
    self.recorder = recorder
    self.dependencies = dependencies
    self.complaint = complaint
    isObserved = true
    restart = dependencies.restart
  }

  /// A root in this process.
  init(
    root: RootCore<State, Action>,
    recorder: TestRecorder<State, Action>,
    dismissal: TestDismissal,
  ) {
    self.init(
      core: root,
      recorder: recorder,
      dependencies: Dependencies(of: root),
      dismissal: dismissal,
      complaint: { nil },
    )
    recorder.observeOutputs(of: root)
    recorder.observeShared(of: root) { $0 }
    recorder.observeRefusals(of: root) { $0 }
  }

  /// A core of which only the states and the outputs are visible.
  init(core: any StoreCore<State, Action>, location: IssueLocation) {
    self.core = core
    recorder = TestRecorder(state: core.state, location: location)
    dependencies = Dependencies()
    dismissal = TestDismissal()
    complaint = { nil }
    areSame = nil
    isObserved = false
    restart = nil
    recorder.observeOutputs(of: core)
  }
}

extension TestRecorder {
  /// Records others' changes of shared values that a root shows.
  ///
  /// - Parameters:
  ///   - root: The root.
  ///   - state: The feature's state in the root's; nil while it is absent.
  @MainActor
  package func observeShared<Root, RootAction>(
    of root: RootCore<Root, RootAction>,
    _ state: @escaping (Root) -> State?,
  ) {
    root.onSharedChange = { [unowned self] root in
      if let state = state(root) { note(sharedChange: state) }
    }
    showShared = { [weak root] in root?.showShared() }
  }
}
