/// A feature that is one of several others at a time, by the cases of an enum.
///
/// `@Reducer` on an enum declares the conformance and writes all of its members.
public protocol CaseReducer<State, Action>: Reducer
where State: CaseReducerState, Body: Reducer, Body.State == State, Body.Action == Action {
  /// The state of one of the features.
  associatedtype State = State

  /// An action of one of the features.
  associatedtype Action = Action

  /// The type of the reducer that runs the feature whose turn it is.
  associatedtype Body = Body

  /// The store of one of the features.
  associatedtype CaseScope

  /// The reducer that runs the feature whose turn it is.
  @ReducerBuilder<State, Action>
  static var body: Body { get }

  /// The store of the feature whose turn it is.
  @MainActor
  static func scope(_ store: Store<State, Action>) -> CaseScope
}

extension CaseReducer {
  /// The reducer that runs the feature whose turn it is.
  public var body: Body { Self.body }
}

/// The state of a ``CaseReducer``, which knows the feature that it is the state of.
public protocol CaseReducerState<StateReducer>: _SelfReducingState
where _OwnAction == StateReducer.Action {
  /// The feature that this is the state of.
  associatedtype StateReducer: CaseReducer where StateReducer.State == Self

  /// The action of the feature that this is the state of.
  associatedtype _OwnAction = StateReducer.Action
}

/// The features of a ``CaseReducer`` while its body is put together.
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
  /// A reducer that runs, of several features, the one that an action is for.
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
      // All but the one whose case it is have nobody to tell.
      reducers.reduce(.none) { $0.merge(with: $1._restored(&state, restoration)) }
    }
  }
}
