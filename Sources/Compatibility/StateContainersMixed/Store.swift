public import Observation

/// The public interface of a state container: an observable state, and events that the
/// container emits.
///
/// Both streams never throw.
@MainActor
public protocol StoreType<State, Output>: Observable, AnyObject where State: Equatable {
  /// The container's state.
  associatedtype State
  /// The values that the container emits and does not keep.
  associatedtype Output
  /// The type of the stream of states.
  associatedtype StateStream: AsyncSequence<State, Never>
  /// The type of the stream of outputs.
  associatedtype OutputStream: AsyncSequence<Output, Never>

  /// The current state, and then each state that differs from the previous one.
  var stateStream: StateStream { get }
  /// The outputs from now on.
  var outputStream: OutputStream { get }
  /// The state.
  var state: State { get set }
}

/// A state container that mixes logic and effects: its subclasses change the state, perform work
/// and emit outputs.
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
/// The container belongs to the main actor, so that a view can use it with any type of state. Views
/// observe it by reading ``state`` with observation tracking, or by ``stateStream``.
@MainActor
@dynamicMemberLookup
open class Store<State: Equatable, Output>: StoreType {
  private let registrar = ObservationRegistrar()
  private let states = Broadcast<State>()
  private let outputs = Broadcast<Output>()
  private var current: State

  /// Creates a container.
  ///
  /// - Parameter state: The initial state.
  public init(state: State) {
    current = state
  }

  /// The state.
  ///
  /// Observers are notified once of each change. Setting an equal state is not a change.
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

  /// Called after each change of the state, for logging for example.
  ///
  /// - Parameter state: The new state.
  open func didChange(to state: State) {}

  /// The current state, and then each state that differs from the previous one.
  ///
  /// The stream ends with the store.
  ///
  /// A slow reader may miss intermediate states, but receives the newest one.
  public final var stateStream: AsyncStream<State> {
    states.stream(.bufferingNewest(1), beginningWith: current)
  }

  /// The outputs from now on.
  ///
  /// The stream ends with the store.
  public final var outputStream: AsyncStream<Output> {
    outputs.stream(.unbounded)
  }

  /// Emits an output to the current readers.
  public final func send(output: Output) {
    outputs.send(output)
  }

  /// A part of the state.
  public final subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    state[keyPath: keyPath]
  }
}
