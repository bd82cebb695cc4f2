/// Work that a reducer requests: it has any number of outputs, and then ends with success or
/// a failure.
///
/// ```swift
/// case .factButtonTapped:
///   return environment.fact(state.count)
///     .receive(on: environment.mainQueue)
///     .catchToEffect(CounterAction.factResponse)
/// ```
///
/// A store begins the work after the action's state is in place, before `send` returns. `.none` and
/// `Effect(value:)` end at once and stay within the action's revision. An effect runs on the main
/// actor, whichever thread its outputs come from.
///
/// Unchecked because its outputs need not be Sendable: effects run only on the main actor.
public struct Effect<Output, Failure: Error>: @unchecked Sendable {
  /// The kind of work.
  ///
  /// Stores recognize the simple kinds and perform them at once.
  enum Work {
    case none
    case value(Output)
    case failure(Failure)
    case merge([Effect])
    case concatenate([Effect])
    case begin(@MainActor (Pipe<Output, Failure>) -> Void)
  }

  let work: Work

  init(_ work: Work) {
    self.work = work
  }

  /// Creates an effect from a closure that begins the work.
  init(begin: @escaping @MainActor (Pipe<Output, Failure>) -> Void) {
    work = .begin(begin)
  }

  /// Creates an effect with one output, which it sends at once.
  public init(value: Output) {
    self.init(.value(value))
  }

  /// Creates an effect that fails at once.
  public init(error: Failure) {
    self.init(.failure(error))
  }

  /// An effect without outputs, which ends at once.
  public static var none: Self {
    Self(.none)
  }

  var isNone: Bool {
    if case .none = work { true } else { false }
  }

  /// Begins the work.
  @MainActor
  func begin(into pipe: Pipe<Output, Failure>) {
    switch work {
    case .none:
      pipe.complete()
    case .value(let output):
      pipe.send(output)
      pipe.complete()
    case .failure(let failure):
      pipe.complete(failure)
    case .merge(let effects):
      Self.begin(all: effects, into: pipe)
    case .concatenate(let effects):
      Self.begin(inTurn: effects[...], into: pipe)
    case .begin(let begin):
      begin(pipe)
    }
  }
}
