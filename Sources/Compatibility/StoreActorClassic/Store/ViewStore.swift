public import Observation
import StoreActor
public import StoreActorSchedulers

/// What a view reads a store's state from and sends actions to.
///
/// ```swift
/// let viewStore = ViewStore(store)
/// viewStore.send(.incrementButtonTapped)
/// viewStore.count  // 1
/// ```
///
/// It changes only when the state does, as its `removeDuplicates` sees it. Its observers, by
/// `withObservationTracking`, `AsyncStream(statesOf:)` and `AnyCancellable(observing:_:)`, are
/// notified of nothing else.
@MainActor
@dynamicMemberLookup
public final class ViewStore<State, Action>: Observable {
  private let store: Store<State, Action>
  private let isDuplicate: @MainActor (State, State) -> Bool
  private let registrar = ObservationRegistrar()
  private var current: State
  private var subscription: StoreSubscription?
  private var listeners: [Int: @MainActor (State) -> Void] = [:]
  private var nextListener = 0

  /// Creates a view store of a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - isDuplicate: Whether two states are the same to the view.
  public init(
    _ store: Store<State, Action>,
    removeDuplicates isDuplicate: @escaping @MainActor (State, State) -> Bool,
  ) {
    self.store = store
    self.isDuplicate = isDuplicate
    current = store.read()
    subscription = store.observe { [weak self] in self?.update() }
  }

  /// Creates a view store of a store whose states can be compared.
  public convenience init(_ store: Store<State, Action>) where State: Equatable {
    self.init(store, removeDuplicates: { $0 == $1 })
  }

  /// Creates a view store of a store without a state.
  public convenience init(_ store: Store<Void, Action>) where State == Void {
    self.init(store, removeDuplicates: { _, _ in true })
  }

  /// The state.
  public var state: State {
    registrar.access(self, keyPath: \.state)
    return current
  }

  /// A part of the state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    state[keyPath: keyPath]
  }

  /// Sends an action: the state includes it when this returns.
  ///
  /// - Returns: What follows from the action; wait for its effects, or cancel them.
  @discardableResult
  public func send(_ action: Action) -> ViewStoreTask {
    ViewStoreTask(task: store.submit(action))
  }

  /// Sends an action, and waits while the state is in a condition.
  ///
  /// ```swift
  /// await viewStore.send(.pulledToRefresh, while: \.isLoading)
  /// ```
  ///
  /// When the task that waits is cancelled, so are the action's effects.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - predicate: The condition.
  public func send(_ action: Action, while predicate: @escaping @MainActor (State) -> Bool) async {
    let task = send(action)
    await withTaskCancellationHandler {
      await yield(while: predicate)
    } onCancel: {
      task.rawValue.cancel()
    }
  }

  /// Waits while the state is in a condition.
  public func yield(while predicate: @escaping @MainActor (State) -> Bool) async {
    for await isInCondition in AsyncStream(of: self, predicate) where !isInCondition { return }
  }

  private func update() {
    let next = store.read()
    guard !isDuplicate(current, next) else { return }
    registrar.withMutation(of: self, keyPath: \.state) { current = next }
    for key in listeners.keys.sorted() { listeners[key]?(next) }
  }

  /// Calls a closure with the state now, and then with each state that the view store comes to.
  fileprivate func add(_ listener: @escaping @MainActor (State) -> Void) -> Int {
    listener(current)
    nextListener += 1
    listeners[nextListener] = listener
    return nextListener
  }

  fileprivate func remove(_ key: Int) { listeners[key] = nil }
}

extension AnyCancellable {
  /// Calls a closure with the state of a view store now, and then with each state that the view
  /// store comes to, until this is cancelled or let go.
  ///
  /// It is no method of a view store, as that would hide a property of the state.
  ///
  /// - Parameters:
  ///   - viewStore: The view store, which is not held.
  ///   - onState: Is called on the main actor, before the `send` returns that changed the state.
  @MainActor
  public convenience init<State, Action>(
    observing viewStore: ViewStore<State, Action>,
    _ onState: @escaping @MainActor (State) -> Void,
  ) {
    let key = viewStore.add(onState)
    self.init { [weak viewStore] in viewStore?.remove(key) }
  }
}

extension AsyncStream where Element: Sendable {
  /// The state of a view store now, and then each state that the view store comes to; it ends with
  /// the view store.
  ///
  /// A reader that is too slow misses states, but never the newest.
  ///
  /// - Parameter viewStore: The view store, which is not held.
  @MainActor
  public init<Action>(statesOf viewStore: ViewStore<Element, Action>) {
    self.init(of: viewStore) { $0 }
  }

  @MainActor
  fileprivate init<State, Action>(
    of viewStore: ViewStore<State, Action>,
    _ value: @escaping @MainActor (State) -> Element,
  ) {
    self.init(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let end = StreamEnd(continuation)
      let key = viewStore.add { end.continuation.yield(value($0)) }
      continuation.onTermination = { [weak viewStore] _ in
        onMainActor { viewStore?.remove(key) }
      }
    }
  }
}

/// Ends a stream when whatever feeds it has gone.
private final class StreamEnd<Element>: Sendable {
  let continuation: AsyncStream<Element>.Continuation

  init(_ continuation: AsyncStream<Element>.Continuation) {
    self.continuation = continuation
  }

  deinit {
    continuation.finish()
  }
}
