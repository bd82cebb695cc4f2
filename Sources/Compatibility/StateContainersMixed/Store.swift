public import Observation

/// What every state container is from outside: a black box with a state that can be observed and
/// events that it emits.
///
/// Neither of its streams can throw.
@MainActor
public protocol StoreType<State, Output>: Observable, AnyObject where State: Equatable {
  /// What the container knows.
  associatedtype State
  /// What the container tells and forgets.
  associatedtype Output
  /// The type of the stream of states.
  associatedtype StateStream: AsyncSequence<State, Never>
  /// The type of the stream of outputs.
  associatedtype OutputStream: AsyncSequence<Output, Never>

  /// The state now, and then each state that differs from the one before.
  var stateStream: StateStream { get }
  /// The outputs from now on.
  var outputStream: OutputStream { get }
  /// The state.
  var state: State { get set }
}

/// A state container that mixes logic and effects: its subclasses change the state, do work and
/// emit outputs as they please.
///
/// ```swift
/// final class NumbersViewModel: Store<NumbersViewState, NumbersViewOutput> {
///   func load() async {
///     state = .loading
///     do {
///       state = .loaded(try await apiClient.numbers())
///       send(output: .numbersDownloaded)
///     } catch {
///       state = .error
///     }
///   }
/// }
/// ```
///
/// Everything of it belongs to the main actor, so that a view can use it whatever the state is of.
/// Views observe it by reading ``state`` where observation is tracked, or by ``stateStream``.
@MainActor
@dynamicMemberLookup
open class Store<State: Equatable, Output>: StoreType {
  private let registrar = ObservationRegistrar()
  private let states = Broadcast<State>()
  private let outputs = Broadcast<Output>()
  private var current: State

  /// Creates a container.
  ///
  /// - Parameter state: The state to start with.
  public init(state: State) {
    current = state
  }

  /// The state.
  ///
  /// Observers see each change once; setting an equal state is none.
  public final var state: State {
    get {
      registrar.access(self, keyPath: \.state)
      return current
    }
    set {
      guard newValue != current else { return }
      registrar.withMutation(of: self, keyPath: \.state) { current = newValue }
      didChange(to: newValue)
      states.send(newValue)
    }
  }

  /// Is called after each change of the state: a place to log from.
  ///
  /// - Parameter state: The new state.
  open func didChange(to state: State) {}

  /// The state now, and then each state that differs from the one before; it ends with the store.
  ///
  /// Whoever reads too slowly misses states, but never the newest.
  public final var stateStream: AsyncStream<State> {
    states.stream(.bufferingNewest(1), beginningWith: current)
  }

  /// The outputs from now on; it ends with the store.
  public final var outputStream: AsyncStream<Output> {
    outputs.stream(.unbounded)
  }

  /// Emits an output to whoever listens now.
  public final func send(output: Output) {
    outputs.send(output)
  }

  /// A part of the state.
  public final subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    state[keyPath: keyPath]
  }
}
