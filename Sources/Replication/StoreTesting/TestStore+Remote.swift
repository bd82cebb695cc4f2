public import StoreActor
import StoreExposures
import StoreState

extension TestStore where State: ReplicatedState, Action: WireAction {
  /// Creates a test store of a feature that lives in a daemon.
  ///
  /// ```swift
  /// @Test(arguments: [false, true]) func increments(isRemote: Bool) async {
  ///   let store =
  ///     isRemote
  ///     ? TestStore(remote: Counter.State()) { Counter() }
  ///     : TestStore(initialState: Counter.State()) { Counter() }
  ///   await store.send(.incrementButtonTapped) { $0.count = 1 }
  /// }
  /// ```
  ///
  /// The daemon and its client are the real ones, except for their sockets: both are in this
  /// process. An action that the test sends is encoded, sent to the daemon, and reduced there; the
  /// state that the test asserts is the client's copy, made from a snapshot and deltas. After each
  /// step the copy is compared with the daemon's state. So the test also shows that the feature's
  /// state and actions can be replicated.
  ///
  /// - An action that only effects may send cannot be sent by the test. It can be received: effects
  ///   run in the daemon, and the test sees there which actions they send.
  /// - A property that is private to the daemon has its default in every state that the test sees.
  ///   A value that a closure sets in it is not compared, like all that is not replicated, such as
  ///   the base of a `URL`.
  /// - Outputs of the given type are sent as well, like those of an exposure that names their type.
  ///   Other outputs stay in the daemon; the test sees and receives them there.
  ///
  /// - `initialState`: The state to start with.
  /// - `output`: The type of its outputs that are sent to clients; `Never` by default.
  /// - `replies`: The type of the replies that clients receive; `Never` by default. The test does
  ///   not see replies of other types.
  /// - `reducer`: The feature.
  /// - `prepareDependencies`: Overrides dependencies for the state, the reducer and its effects.
  public convenience init<Output: WirePayload, Reply: WirePayload>(
    remote initialState: @autoclosure () -> State,
    output: Output.Type = Never.self,
    replies: Reply.Type = Never.self,
    @ReducerBuilder<State, Action> reducer: () -> some Reducer<State, Action>,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    let scope = RemoteScope<State, Action, State, Action>(
      exposure: Expose(
        "feature",
        state: \.self,
        action: \.self,
        output: output,
        replies: replies,
      ),
      state: { $0 },
      action: { $0 },
      outputs: RemoteOutputs(output),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
    self.init(scope, initialState, reducer, prepareDependencies)
  }

  /// Creates a test store of a scope of a feature that lives in a daemon.
  ///
  /// ```swift
  /// let store = TestStore(remote: App.State(), state: \.todos, action: \.todos) { App() }
  /// await store.send(.addButtonTapped(title: "Milk")) { … }
  /// ```
  ///
  /// A client that follows the scope sees this part of the whole feature's state. Of the actions
  /// that effects send, the test sees those of this part.
  ///
  /// - `initialState`: The whole feature's state to start with.
  /// - `state`: The path from the whole feature's state to the scope's.
  /// - `action`: The case of the whole feature's action that contains the scope's.
  /// - `output`: The type of the scope's outputs that are sent to clients; `Never` by default.
  /// - `replies`: The type of the replies that clients receive; `Never` by default.
  /// - `reducer`: The whole feature.
  /// - `prepareDependencies`: Overrides dependencies for the state, the reducer and its effects.
  public convenience init<
    RootState: Sendable,
    RootAction,
    Output: WirePayload,
    Reply: WirePayload,
  >(
    remote initialState: @autoclosure () -> RootState,
    state: any KeyPath<RootState, State> & Sendable,
    action: any CaseKeyPath<RootAction, Action> & Sendable,
    output: Output.Type = Never.self,
    replies: Reply.Type = Never.self,
    @ReducerBuilder<RootState, RootAction> reducer: () -> some Reducer<RootState, RootAction>,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    let path = AnyCasePath(action)
    let scope = RemoteScope<RootState, RootAction, State, Action>(
      exposure: Expose(
        "scope",
        state: state,
        action: action,
        output: output,
        replies: replies,
      ),
      state: { $0[keyPath: state] },
      action: { path.extract(from: $0) },
      outputs: RemoteOutputs(output),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
    self.init(scope, initialState, reducer, prepareDependencies)
  }

  /// Creates a test store of a scope that may be absent, of a feature that lives in a daemon.
  ///
  /// While the scope is absent, an action for it is not reduced, and the test fails.
  ///
  /// - `initialState`: The whole feature's state to start with; the scope must be present in it.
  /// - `state`: The path from the whole feature's state to the scope's.
  /// - `action`: The case of the whole feature's action that contains the scope's.
  /// - `output`: The type of the scope's outputs that are sent to clients; `Never` by default.
  /// - `replies`: The type of the replies that clients receive; `Never` by default.
  /// - `reducer`: The whole feature.
  /// - `prepareDependencies`: Overrides dependencies for the state, the reducer and its effects.
  public convenience init<
    RootState: Sendable,
    RootAction,
    Output: WirePayload,
    Reply: WirePayload,
  >(
    remote initialState: @autoclosure () -> RootState,
    state: any KeyPath<RootState, State?> & Sendable,
    action: any CaseKeyPath<RootAction, Action> & Sendable,
    output: Output.Type = Never.self,
    replies: Reply.Type = Never.self,
    @ReducerBuilder<RootState, RootAction> reducer: () -> some Reducer<RootState, RootAction>,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    let path = AnyCasePath(action)
    let scope = RemoteScope<RootState, RootAction, State, Action>(
      exposure: Expose(
        "scope",
        state: state,
        action: action,
        output: output,
        replies: replies,
      ),
      state: { $0[keyPath: state] },
      action: { path.extract(from: $0) },
      outputs: RemoteOutputs(output),
      location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
    self.init(scope, initialState, reducer, prepareDependencies)
  }

  private convenience init<RootState: Sendable, RootAction>(
    _ scope: RemoteScope<RootState, RootAction, State, Action>,
    _ initialState: () -> RootState,
    @ReducerBuilder<RootState, RootAction> _ reducer: () -> some Reducer<RootState, RootAction>,
    _ prepareDependencies: (inout DependencyValues) -> Void,
  ) {
    self.init(
      subject: scope.subject(
        initialState: initialState,
        reducer: reducer,
        withDependencies: prepareDependencies,
      )
    )
  }
}
