/// What a reducer wants done outside of it: work that has outputs, any number of them, and then
/// ends as intended or with a failure.
///
/// ```swift
/// case .factButtonTapped:
///   return environment.fact(state.count)
///     .receive(on: environment.mainQueue)
///     .catchToEffect(CounterAction.factResponse)
/// ```
///
/// A store begins the work after the action's state is in place, before `send` returns; `.none` and
/// `Effect(value:)` are over at once and stay within the action's revision. Everything of an effect
/// happens on the main actor, whatever thread its outputs come from.
///
/// Sendable although its outputs need not be, as effects run on the main actor only.
public struct Effect<Output, Failure: Error>: @unchecked Sendable {
  /// What an effect does; the simple kinds are told apart so that stores can take them at once.
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

  /// An effect of a closure that begins the work.
  init(begin: @escaping @MainActor (Pipe<Output, Failure>) -> Void) {
    work = .begin(begin)
  }

  /// An effect that has one output, at once.
  public init(value: Output) {
    self.init(.value(value))
  }

  /// An effect that fails at once.
  public init(error: Failure) {
    self.init(.failure(error))
  }

  /// No effect: it has no outputs and ends at once.
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
