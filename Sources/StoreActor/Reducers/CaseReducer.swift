/// A feature that is one of several others at a time, by the cases of an enum.
///
/// `@Reducer` on an enum declares the conformance and writes all of its members.
public protocol CaseReducer<State, Action>: Reducer
where State: CaseReducerState, Body: Reducer, Body.State == State, Body.Action == Action {
  /// The state of one of the features.
  associatedtype State = State

  /// An action of one of the features.
  associatedtype Action = Action

  /// The type of the reducer that runs the feature of the present case.
  associatedtype Body = Body

  /// The store of one of the features.
  associatedtype CaseScope

  /// The reducer that runs the feature of the present case.
  @ReducerBuilder<State, Action>
  static var body: Body { get }

  /// The store of the feature of the present case.
  @MainActor
  static func scope(_ store: Store<State, Action>) -> CaseScope
}

extension CaseReducer {
  /// The reducer that runs the feature of the present case.
  public var body: Body { Self.body }
}

/// The state of a ``CaseReducer``, with the type of its feature.
public protocol CaseReducerState<StateReducer>: _SelfReducingState
where _OwnAction == StateReducer.Action {
  /// The feature of this state.
  associatedtype StateReducer: CaseReducer where StateReducer.State == Self

  /// The action of the feature of this state.
  associatedtype _OwnAction = StateReducer.Action
}

/// The features of a ``CaseReducer`` while its body is built.
public struct _$CaseReducers<State, Action> {
  fileprivate typealias Child = (inout State, Action) -> Effect<Action>?

  fileprivate var children: [Child] = []
  fileprivate var reducers: [Reduce<State, Action>] = []

  /// Adds the feature of one case.
  ///
  /// - `state`: The case of the state that holds the feature's.
  /// - `action`: The case of the action that holds the feature's.
  /// - `reducer`: The feature.
  public mutating func add<R: Reducer>(
    _ state: CaseKeyPath<State, R.State>,
    action: CaseKeyPath<Action, R.Action>,
    reducer: R,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) {
    let path = AnyCasePath(action)
    let child = EmptyReducer<State, Action>()
      .ifCaseLet(
        state,
        action: action,
        then: { reducer },
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column,
      )
      ._prepared()
    children.append { state, action in
      path.extract(from: action) == nil ? nil : child.reduce(&state, action)
    }
    reducers.append(child)
  }
}

extension Reduce {
  /// A reducer that runs the feature of several to which an action belongs.
  ///
  /// - Parameter build: Adds the features.
  /// - Returns: The reducer.
  public static func _$cases(
    _ build: (_ cases: inout _$CaseReducers<State, Action>) -> Void
  ) -> Reduce {
    var cases = _$CaseReducers<State, Action>()
    build(&cases)
    return Reduce { [children = cases.children] state, action in
      for child in children {
        if let effect = child(&state, action) { return effect }
      }
      return .none
    } restored: { [reducers = cases.reducers] state, restoration in
      // Only the feature of the present case has an effect here.
      reducers.reduce(.none) { $0.merge(with: $1._restored(&state, restoration)) }
    }
  }
}
