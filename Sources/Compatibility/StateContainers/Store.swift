public import Observation
import StateContainersMixed
import StoreActor

/// A state container that separates logic from effects: for each input, the reducer changes the
/// state and returns an effect, and the effect gives feedback.
///
/// ```swift
/// let store = Store(state: NumbersViewReducer.State.idle, reducer: NumbersViewReducer())
/// store.send(.onAppear)
/// ```
///
/// Callers can send only inputs; feedback is reserved for effects. Running work is cancelled when
/// the store is deinitialized.
@MainActor
@dynamicMemberLookup
public final class Store<State: Equatable, Input: Sendable, Feedback: Sendable, Output>: Observable
{
  private let base: StoreActor.Store<State, Message<Input, Feedback>>
  private let registrar = ObservationRegistrar()
  private let states = Broadcast<State>()
  private let outputs: Broadcast<Output>
  private var current: State
  private var subscription: StoreSubscription?

  /// Creates a container.
  ///
  /// - Parameters:
  ///   - state: The initial state.
  ///   - reducer: The reducer, which changes the state and returns the effects.
  public convenience init(
    state: State,
    reducer: some Reducer<State, Input, Feedback, Output>,
  ) {
    self.init(state: state) { message, state in reducer.reduce(message: message, into: &state) }
  }

  init(
    state: State,
    reduce:
      @escaping @MainActor (Message<Input, Feedback>, inout State) -> Effect<Feedback, Output>,
  ) {
    let outputs = Broadcast<Output>()
    self.outputs = outputs
    current = state
    base = StoreActor.Store(initialState: state) {
      Reduce<State, Message<Input, Feedback>> { state, message in
        onMainActor(&state) {
          reduce(message, &$0).storeEffect { output in
            // The output stays on the main actor.
            nonisolated(unsafe) let output = output
            let source = EffectSource<Message<Input, Feedback>> { sink in
              outputs.send(output)
              sink.finish()
            }
            return StoreActor.Effect(.source(source))
          }
        }
      }
    }
    subscription = base.core.observeChanges { [weak self] in self?.update() }
  }

  /// The state after the last message.
  public var state: State {
    registrar.access(self, keyPath: \.state)
    return current
  }

  /// The current state, and then each state that differs from the previous one.
  ///
  /// The stream ends with the store.
  ///
  /// A slow reader may miss intermediate states, but receives the newest one.
  public var stateStream: AsyncStream<State> {
    states.stream(.bufferingNewest(1), beginningWith: current)
  }

  /// The outputs from now on.
  ///
  /// The stream ends with the store.
  public var outputStream: AsyncStream<Output> {
    outputs.stream(.unbounded)
  }

  /// Sends an input.
  ///
  /// The state includes it when this returns.
  ///
  /// - Returns: A task that ends after all effects, including those of feedback. Its cancellation
  ///   cancels them.
  @discardableResult
  public func send(_ message: Input) -> Task<Void, Never> {
    let task = base.send(.input(message))
    return Task { await task.finish() }
  }

  /// Sends an input, and waits until all effects have ended, including those of feedback.
  ///
  /// Cancellation of the waiting task cancels the effects.
  public func send(_ message: Input) async {
    await base.send(.input(message)).finish()
  }

  /// A part of the state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    state[keyPath: keyPath]
  }

  private func update() {
    let next = base.core.state
    guard next != current else { return }
    registrar.withMutation(of: self, keyPath: \.state) { current = next }
    states.send(next)
  }
}

extension Effect where Feedback: Sendable {
  /// Converts the effect for a store of StoreActor.
  ///
  /// - Parameter tell: Returns an effect that emits an output.
  /// - Returns: The effect.
  @MainActor
  func storeEffect<Input>(
    tell: (Output) -> StoreActor.Effect<Message<Input, Feedback>>
  ) -> StoreActor.Effect<Message<Input, Feedback>> {
    var effects: [StoreActor.Effect<Message<Input, Feedback>>] = []
    if let output { effects.append(tell(output)) }
    if let operation {
      effects.append(
        .run { send in
          await operation { feedback in send(.feedback(feedback)) }
        }
      )
    }
    return .merge(effects)
  }
}

/// Changes a state on the main actor, on which stores call their reducers.
func onMainActor<State, R: Sendable>(
  _ state: inout State,
  _ change: @MainActor (inout State) -> R,
) -> R {
  withUnsafeMutablePointer(to: &state) { state in
    // The code runs on the main actor already, and the state does not leave it.
    nonisolated(unsafe) let state = state
    return MainActor.assumeIsolated { change(&state.pointee) }
  }
}
