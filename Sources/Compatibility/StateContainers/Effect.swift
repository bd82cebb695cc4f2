/// An effect that a reducer requests: work that may suspend and gives feedback, an output, or both.
///
/// ```swift
/// return .run { send in
///   await send(.numbersDownloaded(await apiClient.numbers()))
/// }
/// ```
public struct Effect<Feedback, Output> {
  /// Work that gives feedback by the function that it receives.
  ///
  /// The work runs on the main actor, as reducers do, so that it may use their values. Functions
  /// that it awaits run under their own isolation.
  public typealias Operation =
    @MainActor (_ send: @escaping @MainActor @Sendable (Feedback) async -> Void) async -> Void

  let output: Output?
  let operation: Operation?

  private init(_ output: Output?, _ operation: Operation?) {
    self.output = output
    self.operation = operation
  }

  /// Creates an effect.
  ///
  /// - Parameters:
  ///   - output: The output to emit, before the work begins.
  ///   - operation: The work.
  public init(output: Output?, operation: @escaping Operation) {
    self.init(output, operation)
  }

  /// An effect without output and work.
  public static var none: Self { Self(nil, nil) }

  /// Returns an effect that emits an output.
  public static func output(_ output: Output) -> Self { Self(output, nil) }

  /// Returns an effect of work that gives feedback.
  public static func run(operation: @escaping Operation) -> Self { Self(nil, operation) }
}
