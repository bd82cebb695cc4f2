import StoreActor
import StoreExposures
import StoreReplica
import StoreState

/// A scope of a root, as a test store sees it through a client.
@MainActor
struct RemoteScope<
  Root: Sendable,
  RootAction,
  State: ReplicatedState & Equatable,
  Action: WireAction,
> {
  let exposure: Expose<Root, RootAction>
  /// The scope's state in the root's; nil while it is absent.
  let state: @Sendable (Root) -> State?
  /// The scope's action in the root's; nil where it is another's.
  let action: @Sendable (RootAction) -> Action?
  /// The outputs of the scope that travel.
  let outputs: RemoteOutputs
  let location: IssueLocation

  /// Makes a daemon with the root, and a client that follows the scope.
  func subject(
    initialState: () -> Root,
    reducer: () -> some Reducer<Root, RootAction>,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void,
  ) -> TestSubject<State, Action> {
    let dismissal = TestDismissal()
    return withDependencies {
      dismissal.prepare(&$0)
      prepareDependencies(&$0)
    } operation: {
      let rootState = initialState()
      guard let first = seen(rootState) else {
        preconditionFailure(
          "\(location.fileID):\(location.line): The scope of a test store is there at its start."
        )
      }
      let recorder = TestRecorder<State, Action>(state: first, location: location)
      let root = RootCore(
        initialState: { rootState },
        reducer: { recorder.recording(reducer(), state: { seen($0) }, action: action) },
      )
      dismissal.observe(root)
      recorder.observeShared(of: root) { seen($0) }
      let daemon = InMemoryDaemon(root: root, exposures: [exposure])
      let core = RemoteStoreCore<State, Action>(
        exposure.name,
        of: daemon.client,
        connection: daemon,
        placeholder: first,
      )
      outputs.observe(root, where: { action($0) != nil }, core.replica) {
        recorder.note(output: $0)
      }
      return TestSubject(
        core: core,
        recorder: recorder,
        dependencies: TestSubject.Dependencies(of: root),
        dismissal: dismissal,
        // What the test expects has made no journey: some of it may not travel.
        areSame: { $0._$isSame(as: $1) },
        complaint: { complaint(about: core, of: daemon) ?? outputs.takeComplaint() },
      )
    }
  }

  /// The scope's state as it is after a journey: without what is private to the daemon.
  private func seen(_ root: Root) -> State? {
    guard let state = state(root) else { return nil }
    do throws(CodecError) {
      // What the test expects of shared values concerns those of the daemon.
      return try SharedRoundTrip.take { () throws(CodecError) in
        try State(encoded: state.encoded())
      }
    } catch {
      location.report(
        """
        A state of type "\(State.self)" cannot be read from its own encoding: \(error)

        To fix, see to it that "encode(to:)" writes what "init(from:)" reads.
        """
      )
      return state
    }
  }

  /// What is wrong with the client's copy; nil when nothing is.
  private func complaint(
    about core: RemoteStoreCore<State, Action>,
    of daemon: InMemoryDaemon<Root, RootAction>,
  ) -> String? {
    if case .refused(let refusal) = core.scope.status {
      return "The daemon does not let the client have the scope: \(refusal.message)"
    }
    let expected = seen(daemon.root.state)
    let actual = core.replica.isShown ? core.replica.shown : nil
    let repairs = daemon.takeRepairs()
    // By bytes: a value such as NaN is not equal to itself.
    let isCopy = core.replica.digest == expected._$digest && actual._$isSame(as: expected)
    if isCopy, repairs.isEmpty { return nil }
    let causes = repairs.map { "\n\nThe client noticed: \($0)" }.joined()
    return """
      The client's copy of the state is not what the daemon has: …

      \(difference(expected, actual, labels: ("Daemon", "Client")))\(causes)

      The client makes its copy of a snapshot and of deltas.

      To fix, see to it that the state's "applyDelta" makes of an old state the new one from which \
      "encodeDelta" made the delta, and that its schema names everything that is replicated.
      """
  }
}
