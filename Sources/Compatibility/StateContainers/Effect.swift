/// What a reducer wants done: work that may suspend and gives feedback, an output, or both.
///
/// ```swift
/// return .run { send in
///   await send(.numbersDownloaded(await apiClient.numbers()))
/// }
/// ```
public struct Effect<Feedback, Output> {
  /// Work that gives feedback: it is called with what feedback is sent with.
  ///
  /// It runs on the main actor, as reducers do, so that it may use what they have; what it awaits
  /// runs where it pleases.
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

  /// No effect.
  public static var none: Self { Self(nil, nil) }

  /// An output.
  public static func output(_ output: Output) -> Self { Self(output, nil) }

  /// Work that gives feedback.
  public static func run(operation: @escaping Operation) -> Self { Self(nil, operation) }
}
