/// A description of work outside the reducer: no work, an action to send at once, or work that runs
/// and sends actions back.
///
/// A reducer returns effects. The store runs them after the reducer's state is in place. `.none`
/// and `.send` do not allocate.
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
  /// Whether the operation is `.none`, `.refuse` or another one.
  ///
  /// Stored separately: a check of the operation makes the compiler copy it.
  @usableFromInline
  let kind: EffectKind

  /// Whether the operation is `.none`.
  @inlinable
  package var isNone: Bool { kind == .none }

  /// Whether the operation is `.refuse`.
  @inlinable
  package var isRefusal: Bool { kind == .refusal }

  /// Creates an effect other than `.none` and `.refuse`.
  @inlinable
  package init(_ operation: EffectOperation<Action>) {
    self.operation = operation
    kind = .work
  }

  /// Creates the effect that does no work.
  @inlinable
  init() {
    operation = .none
    kind = .none
  }

  /// The refusal, if the operation is `.refuse`.
  @inlinable
  package var refusal: Refusal? {
    if isRefusal, case .refuse(let refusal) = operation { refusal } else { nil }
  }

  /// Creates a refusal.
  @inlinable
  init(refusal: Refusal) {
    operation = .refuse(refusal)
    kind = .refusal
  }
}

/// Whether an effect does work.
@usableFromInline
enum EffectKind: UInt8, Sendable {
  case none
  case work
  case refusal
}

/// The effects of a feature: `EffectOf<Self>`.
public typealias EffectOf<R: Reducer> = Effect<R.Action>

/// The kind of an effect; the store interprets it.
@usableFromInline
package enum EffectOperation<Action> {
  /// No work.
  case none
  /// The refusal of the action; it absorbs all effects that it is combined with.
  case refuse(Refusal)
  /// An action to be reduced in the same batch.
  case send(Action)
  /// Work for a task of its own.
  case run(EffectRun<Action>)
  /// Work without a task: it begins synchronously and calls back.
  case source(EffectSource<Action>)
  /// An event for the observers of outputs.
  indirect case output(any Sendable)
  /// A reply to the sender of the action.
  indirect case reply(any Sendable)
  /// Several effects that run concurrently.
  case merge([Effect<Action>])
  /// Several effects that run in sequence.
  case concatenate([Effect<Action>])
  /// Work that can be cancelled by an id.
  indirect case cancellable(Effect<Action>, id: CancelID, cancelInFlight: Bool)
  /// The cancellation of all work under an id.
  indirect case cancel(CancelID)
  /// Work that a second lineage counts, in addition to the task of its action.
  indirect case tracked(Effect<Action>, by: EffectLineage)
  /// Work of a child at a place, and the action that dismisses the child.
  indirect case child(Effect<Action>, at: EffectPlace, dismissal: (@Sendable () -> Action)?)
  /// A schedule, which the daemon keeps.
  indirect case schedule(EffectSchedule<Action>)
  /// A kept schedule that a restarted daemon arms again, by its number.
  case rearm(UInt64)
  /// An effect that depends on the running work when the store performs it, at a place.
  case resolve(@MainActor @Sendable (EffectPlace) -> Effect<Action>)
}

// Sound although an action need not be Sendable: the reducer returns the effect to the store, and
// only the store reads the action again, on the main actor.
extension EffectOperation: @unchecked Sendable {}

extension Effect {
  /// No effect.
  @inlinable
  public static var none: Self {
    Self()
  }

  /// Sends an action at once: it is reduced before the current `send` returns, as a part of the
  /// same revision.
  ///
  /// Do not use this to share logic between actions: call a method on the state instead.
  @inlinable
  public static func send(_ action: Action) -> Self {
    Self(.send(action))
  }
}
