public import Observation
import StoreActor
public import StoreActorSchedulers

/// A view's access to a store: it reads the state and sends actions.
///
/// ```swift
/// let viewStore = ViewStore(store)
/// viewStore.send(.incrementButtonTapped)
/// viewStore.count  // 1
/// ```
///
/// It changes only if `removeDuplicates` considers the new state different. Then it notifies its
/// observers, by `withObservationTracking`, `AsyncStream(statesOf:)` and
/// `AnyCancellable(observing:_:)`.
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
  ///   - isDuplicate: Returns whether two states are equal for the view.
  public init(
    _ store: Store<State, Action>,
    removeDuplicates isDuplicate: @escaping @MainActor (State, State) -> Bool,
  ) {
    self.store = store
    self.isDuplicate = isDuplicate
    current = store.read()
    subscription = store.observe { [weak self] in self?.update() }
  }

  /// Creates a view store of a store with an equatable state.
  public convenience init(_ store: Store<State, Action>) where State: Equatable {
    self.init(store, removeDuplicates: { $0 == $1 })
  }

  /// Creates a view store of a store without a state.
  public convenience init(_ store: Store<Void, Action>) where State == Void {
    self.init(store, removeDuplicates: { _, _ in true })
  }

  /// The current state.
  public var state: State {
    registrar.access(self, keyPath: \.state)
    return current
  }

  /// A part of the state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    state[keyPath: keyPath]
  }

  /// Sends an action.
  ///
  /// The state includes it when this returns.
  ///
  /// - Returns: A handle to wait for the action's effects, or to cancel them.
  @discardableResult
  public func send(_ action: Action) -> ViewStoreTask {
    ViewStoreTask(task: store.submit(action))
  }

  /// Sends an action, and waits while a condition on the state holds.
  ///
  /// ```swift
  /// await viewStore.send(.pulledToRefresh, while: \.isLoading)
  /// ```
  ///
  /// Cancellation of the waiting task cancels the action's effects.
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

  /// Waits while a condition on the state holds.
  public func yield(while predicate: @escaping @MainActor (State) -> Bool) async {
    for await isInCondition in AsyncStream(of: self, predicate) where !isInCondition { return }
  }

  private func update() {
    let next = store.read()
    guard !isDuplicate(current, next) else { return }
    registrar.withMutation(of: self, keyPath: \.state) { current = next }
    for key in listeners.keys.sorted() { listeners[key]?(next) }
  }

  /// Calls a closure with the current state, and then with each new state.
  fileprivate func add(_ listener: @escaping @MainActor (State) -> Void) -> Int {
    listener(current)
    nextListener += 1
    listeners[nextListener] = listener
    return nextListener
  }

  fileprivate func remove(_ key: Int) { listeners[key] = nil }
}

extension AnyCancellable {
  /// Calls a closure with a view store's current state, and then with each new state, until the
  /// cancellable is cancelled or released.
  ///
  /// It is not a method of the view store, because its name would hide a property of the state.
  ///
  /// - Parameters:
  ///   - viewStore: The view store, which is not retained.
  ///   - onState: Called on the main actor, before the `send` that changed the state returns.
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
  /// Creates a stream of a view store's current state and each new state.
  ///
  /// The stream ends when the view store is deinitialized.
  ///
  /// A slow reader may miss intermediate states, but receives the newest one.
  ///
  /// - Parameter viewStore: The view store, which is not retained.
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

/// Ends a stream when its source is released.
private final class StreamEnd<Element>: Sendable {
  let continuation: AsyncStream<Element>.Continuation

  init(_ continuation: AsyncStream<Element>.Continuation) {
    self.continuation = continuation
  }

  deinit {
    continuation.finish()
  }
}
