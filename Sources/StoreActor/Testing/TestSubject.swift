/// What a ``TestStore`` drives: a feature in this process, or one that a client sees in a daemon.
@MainActor
package struct TestSubject<State, Action> {
  /// What the test sends its actions to.
  package let core: any StoreCore<State, Action>

  /// What has been seen of the feature.
  package let recorder: TestRecorder<State, Action>

  /// Whether the recorder sees what the feature reduces, wherever that happens.
  package let isObserved: Bool

  /// The dependencies of the feature.
  package let dependencies: Dependencies

  /// Whether the feature has dismissed itself.
  let dismissal: TestDismissal

  /// What is wrong with the core after a step of the test; nil when nothing is.
  package let complaint: @MainActor () -> String?

  /// Whether two states are the same that `==` tells apart; nil where `==` alone decides.
  let areSame: ((State, State) -> Bool)?

  /// How to get at the dependencies of a feature.
  package struct Dependencies {
    package let get: @MainActor () -> DependencyValues
    package let set: @MainActor (DependencyValues) -> Void

    /// The dependencies of a root.
    package init(of root: RootCore<some Any, some Any>) {
      get = { root.dependencies }
      set = { root.dependencies = $0 }
    }

    fileprivate init() {
      get = { ._current }
      set = { _ in }
    }
  }

  /// A subject whose reductions are recorded.
  ///
  /// - Parameters:
  ///   - core: What the test sends its actions to.
  ///   - recorder: What has been seen of the feature.
  ///   - dependencies: The dependencies of the feature.
  ///   - dismissal: Whether the feature has dismissed itself.
  ///   - areSame: Whether two states are the same that `==` tells apart; nil where `==` decides.
  ///   - complaint: What is wrong with the core after a step of the test.
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
  }

  /// A core of which only the states and the outputs are seen.
  init(core: any StoreCore<State, Action>, location: IssueLocation) {
    self.core = core
    recorder = TestRecorder(state: core.state, location: location)
    dependencies = Dependencies()
    dismissal = TestDismissal()
    complaint = { nil }
    areSame = nil
    isObserved = false
    recorder.observeOutputs(of: core)
  }
}

extension TestRecorder {
  /// Notes what others change of shared values that a root shows.
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
