import CustomDump
public import Foundation
import StoreActor

/// The parts of an action that ``AnyReducer/debug(_:actionFormat:environment:)`` prints.
public enum ActionFormat: Sendable {
  /// The names of the action's cases.
  case labelsOnly
  /// The whole action.
  case prettyPrint
}

/// The output of debugging reducers.
public struct DebugEnvironment: Sendable {
  /// Prints a text.
  public var printer: @Sendable (String) -> Void
  /// The queue on which the closure runs.
  public var queue: DispatchQueue

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - printer: Prints a text; by default to standard error, as standard output belongs to
  ///     the program.
  ///   - queue: The queue on which the closure runs.
  public init(
    printer: @escaping @Sendable (String) -> Void = printToStandardError,
    queue: DispatchQueue = defaultQueue,
  ) {
    self.printer = printer
    self.queue = queue
  }

  /// Prints a text to standard error.
  public static let printToStandardError: @Sendable (String) -> Void = { text in
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }

  /// The default queue for printing.
  public static let defaultQueue = DispatchQueue(
    label: "StoreActorClassic.DebugEnvironment",
    qos: .background,
  )
}

extension AnyReducer {
  /// Prints each action that the reducer receives, and the change of the state.
  ///
  /// - Parameters:
  ///   - prefix: A text to print before each action.
  ///   - actionFormat: The parts of an action to print.
  ///   - toDebugEnvironment: Returns the output for an environment.
  /// - Returns: The reducer that also prints.
  public func debug(
    _ prefix: String = "",
    actionFormat: ActionFormat = .prettyPrint,
    environment toDebugEnvironment: @escaping @MainActor (Environment) -> DebugEnvironment = { _ in
      DebugEnvironment()
    },
  ) -> Self {
    debug(
      prefix,
      state: { $0 },
      action: AnyCasePath<Action, Action>(),
      actionFormat: actionFormat,
      environment: toDebugEnvironment,
    )
  }

  /// Prints each action that the reducer receives, without the state.
  ///
  /// - Parameters:
  ///   - prefix: A text to print before each action.
  ///   - actionFormat: The parts of an action to print.
  ///   - toDebugEnvironment: Returns the output for an environment.
  /// - Returns: The reducer that also prints.
  public func debugActions(
    _ prefix: String = "",
    actionFormat: ActionFormat = .prettyPrint,
    environment toDebugEnvironment: @escaping @MainActor (Environment) -> DebugEnvironment = { _ in
      DebugEnvironment()
    },
  ) -> Self {
    debug(
      prefix,
      state: { _ in () },
      action: AnyCasePath<Action, Action>(),
      actionFormat: actionFormat,
      environment: toDebugEnvironment,
    )
  }

  /// Prints each action of one case, and the change of a part of the state.
  ///
  /// - Parameters:
  ///   - prefix: A text to print before each action.
  ///   - toLocalState: Returns the part of the state to print.
  ///   - toLocalAction: The case of the actions to print.
  ///   - actionFormat: The parts of an action to print.
  ///   - toDebugEnvironment: Returns the output for an environment.
  /// - Returns: The reducer that also prints.
  public func debug<LocalState, LocalAction>(
    _ prefix: String = "",
    state toLocalState: @escaping @MainActor (State) -> LocalState,
    action toLocalAction: AnyCasePath<Action, LocalAction>,
    actionFormat: ActionFormat = .prettyPrint,
    environment toDebugEnvironment: @escaping @MainActor (Environment) -> DebugEnvironment = { _ in
      DebugEnvironment()
    },
  ) -> Self {
    Self { state, action, environment in
      let previous = toLocalState(state)
      let effects = reduce(&state, action, environment)
      guard let localAction = toLocalAction.extract(from: action) else { return effects }
      let text = debugText(
        prefix,
        localAction,
        actionFormat,
        previous: previous,
        next: toLocalState(state),
      )
      let debug = toDebugEnvironment(environment)
      return .merge(
        .fireAndForget { debug.queue.async { debug.printer(text) } },
        effects,
      )
    }
  }
}

private func debugText<State>(
  _ prefix: String,
  _ action: some Any,
  _ format: ActionFormat,
  previous: State,
  next: State,
) -> String {
  var text = ""
  switch format {
  case .prettyPrint: customDump(action, to: &text, indent: 2)
  case .labelsOnly: text.write("  \(caseLabels(of: action))")
  }
  text.write("\n")
  if State.self != Void.self {
    text.write(diff(previous, next).map { "\($0)\n" } ?? "  (No state changes)\n")
  }
  return "\(prefix.isEmpty ? "" : "\(prefix): ")received action:\n\(text)"
}
