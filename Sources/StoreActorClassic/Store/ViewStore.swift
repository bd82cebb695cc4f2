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
/// It changes only when the state does, as its `removeDuplicates` sees it; who observes it, with
/// `withObservationTracking` or through ``states``, hears of nothing else.
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
    for await isInCondition in changes(of: predicate) where !isInCondition { return }
  }

  /// Calls a closure with the state now, and then with each state that the view store comes to.
  ///
  /// - Parameter onState: Is called on the main actor, before the `send` returns that changed the
  ///   state.
  /// - Returns: What ends the calls; they end too when that is let go.
  public func observe(_ onState: @escaping @MainActor (State) -> Void) -> AnyCancellable {
    onState(current)
    let key = add(onState)
    return AnyCancellable { [weak self] in self?.listeners[key] = nil }
  }

  private func update() {
    let next = store.read()
    guard !isDuplicate(current, next) else { return }
    registrar.withMutation(of: self, keyPath: \.state) { current = next }
    for key in listeners.keys.sorted() { listeners[key]?(next) }
  }

  private func add(_ listener: @escaping @MainActor (State) -> Void) -> Int {
    nextListener += 1
    listeners[nextListener] = listener
    return nextListener
  }

  fileprivate func changes<Value: Sendable>(
    of value: @escaping @MainActor (State) -> Value
  ) -> AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let end = StreamEnd(continuation)
      continuation.yield(value(current))
      let key = add { end.continuation.yield(value($0)) }
      continuation.onTermination = { [weak self] _ in
        onMainActor { self?.listeners[key] = nil }
      }
    }
  }
}

extension ViewStore where State: Sendable {
  /// The state now, and then each state that the view store comes to; it ends with the view store.
  ///
  /// Whoever reads too slowly misses states, but never the newest.
  public var states: AsyncStream<State> {
    changes { $0 }
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
