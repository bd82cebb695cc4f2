/// What a reducer wants done outside of it, as a value: nothing, an action to send at once, or work
/// that runs and sends actions back.
///
/// A reducer returns effects; the store runs them, after the state that the reducer made is in
/// place. `.none` and `.send` cost no allocation.
///
/// ```swift
/// case .resetButtonTapped:
///   state.count = 0
///   return .send(.loadButtonTapped)
/// case .loadButtonTapped:
///   state.isLoading = true
///   return .run { send in await send(.loaded(try await fetch())) }
/// ```
public struct Effect<Action>: Sendable {
  @usableFromInline
  package let operation: EffectOperation<Action>
  /// Whether the operation is none.
  ///
  /// Kept apart because looking for that in the operation makes the compiler copy it.
  @usableFromInline
  package let isNone: Bool

  /// Anything but nothing.
  @inlinable
  package init(_ operation: EffectOperation<Action>) {
    self.operation = operation
    isNone = false
  }

  /// Nothing.
  @inlinable
  init() {
    operation = .none
    isNone = true
  }
}

/// The effects of a feature: `EffectOf<Self>`.
public typealias EffectOf<R: Reducer> = Effect<R.Action>

/// What an effect is; the store interprets it.
@usableFromInline
package enum EffectOperation<Action> {
  /// Nothing.
  case none
  /// An action to be reduced in the same batch.
  case send(Action)
  /// Work for a task of its own.
  case run(EffectRun<Action>)
  /// Work that is no task: it begins on the spot and calls back.
  case source(EffectSource<Action>)
  /// An event for whoever observes outputs.
  indirect case output(any Sendable)
  /// Several at once.
  case merge([Effect<Action>])
  /// One after the other.
  case concatenate([Effect<Action>])
  /// Work that can be cancelled by an id.
  indirect case cancellable(Effect<Action>, id: CancelID, cancelInFlight: Bool)
  /// The cancellation of whatever runs under an id.
  indirect case cancel(CancelID)
  /// Work that is also counted by somebody beside the task of its action.
  indirect case tracked(Effect<Action>, by: EffectLineage)
  /// Work of a child at a place, and the action that ends the child's presentation.
  indirect case child(Effect<Action>, at: EffectPlace, dismissal: (@Sendable () -> Action)?)
  /// An effect that depends on what is running when the store comes to it, at a place.
  case resolve(@MainActor @Sendable (EffectPlace) -> Effect<Action>)
}

// Sound although an action need not be Sendable: an effect is returned by a reducer to the store,
// and the action in it is looked at again only there, on the main actor.
extension EffectOperation: @unchecked Sendable {}

extension Effect {
  /// No effect.
  @inlinable
  public static var none: Self {
    Self()
  }

  /// Sends an action at once: it is reduced before the `send` that led here returns, and is part of
  /// the same revision.
  ///
  /// Not for sharing logic between actions: call a method on the state for that.
  @inlinable
  public static func send(_ action: Action) -> Self {
    Self(.send(action))
  }
}
