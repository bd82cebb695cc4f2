public import Observation
import StateContainersMixed
import StoreActor

/// A state container that separates logic from effects: inputs go in, the reducer changes the state
/// and decides what is done, and what is done gives feedback.
///
/// ```swift
/// let store = Store(state: NumbersViewReducer.State.idle, reducer: NumbersViewReducer())
/// store.send(.onAppear)
/// ```
///
/// Only inputs can be sent from outside: feedback comes from effects alone. The work that is under
/// way is cancelled when the store goes.
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
  ///   - state: The state to start with.
  ///   - reducer: What changes the state and decides the effects.
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
            // Goes from the main actor to the main actor.
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

  /// The state, as of the last message.
  public var state: State {
    registrar.access(self, keyPath: \.state)
    return current
  }

  /// The state now, and then each state that differs from the one before; it ends with the store.
  ///
  /// Whoever reads too slowly misses states, but never the newest.
  public var stateStream: AsyncStream<State> {
    states.stream(.bufferingNewest(1), beginningWith: current)
  }

  /// The outputs from now on; it ends with the store.
  public var outputStream: AsyncStream<Output> {
    outputs.stream(.unbounded)
  }

  /// Sends an input: the state includes it when this returns.
  ///
  /// - Returns: What follows from it. Its value comes when all effects have ended, those of the
  ///   feedback too; cancelling it cancels them.
  @discardableResult
  public func send(_ message: Input) -> Task<Void, Never> {
    let task = base.send(.input(message))
    return Task { await task.finish() }
  }

  /// Sends an input, and waits until all effects have ended, those of the feedback too.
  ///
  /// When the task that waits is cancelled, so are they.
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
  /// The effect as one that a store of StoreActor runs.
  ///
  /// - Parameter tell: Makes an effect that tells an output.
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

/// Changes a state on the main actor, which is where stores call their reducers.
func onMainActor<State, R: Sendable>(
  _ state: inout State,
  _ change: @MainActor (inout State) -> R,
) -> R {
  withUnsafeMutablePointer(to: &state) { state in
    // On the main actor already: it goes nowhere else.
    nonisolated(unsafe) let state = state
    return MainActor.assumeIsolated { change(&state.pointee) }
  }
}
