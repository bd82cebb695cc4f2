import StoreActor
import StoreExposures
import StoreReplica
import StoreState

/// A root's scope that a test store sees through a client.
@MainActor
struct RemoteScope<
  Root: Sendable,
  RootAction,
  State: ReplicatedState & Equatable,
  Action: WireAction,
> {
  let exposure: Expose<Root, RootAction>
  /// Returns the scope's state from the root's; nil while it is absent.
  let state: @Sendable (Root) -> State?
  /// Returns the scope's action from the root's; nil for an action of another scope.
  let action: @Sendable (RootAction) -> Action?
  /// The outputs of the scope that are sent to clients.
  let outputs: RemoteOutputs
  let location: IssueLocation

  /// Creates a daemon with the root, and a client that follows the scope.
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
      recorder.observeRefusals(of: root, action)
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
        // The expected state was not encoded: some of its properties may not be replicated.
        areSame: { $0._$isSame(as: $1) },
        complaint: { complaint(about: core, of: daemon) ?? outputs.takeComplaint() },
      )
    }
  }

  /// Returns the scope's state after encoding and decoding, without the parts that are private to
  /// the daemon.
  private func seen(_ root: Root) -> State? {
    guard let state = state(root) else { return nil }
    do throws(CodecError) {
      // The test's expectations of shared values apply to the daemon's values.
      return try SharedRoundTrip.take { () throws(CodecError) in
        try State(encoded: state.encoded())
      }
    } catch {
      location.report(
        """
        A state of type "\(State.self)" cannot be read from its own encoding: \(error)

        To fix, let "encode(to:)" write the input of "init(from:)".
        """
      )
      return state
    }
  }

  /// Returns the fault of the client's copy; nil if it is correct.
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
      The client's copy of the state differs from the daemon's: …

      \(difference(expected, actual, labels: ("Daemon", "Client")))\(causes)

      The client makes its copy of a snapshot and of deltas.

      To fix, see to it that the state's "applyDelta" makes of an old state the new one from which \
      "encodeDelta" made the delta, and that its schema names everything that is replicated.
      """
  }
}
