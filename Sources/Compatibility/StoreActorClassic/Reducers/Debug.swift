import CustomDump
public import Foundation
import StoreActor

/// How much ``AnyReducer/debug(_:actionFormat:environment:)`` prints of an action.
public enum ActionFormat: Sendable {
  /// The names of its cases.
  case labelsOnly
  /// All of it.
  case prettyPrint
}

/// Where debugging reducers print.
public struct DebugEnvironment: Sendable {
  /// Prints a text.
  public var printer: @Sendable (String) -> Void
  /// The queue that it prints on.
  public var queue: DispatchQueue

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - printer: Prints a text; to standard error unless told otherwise, as standard output
  ///     belongs to the program.
  ///   - queue: The queue that it prints on.
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

  /// The queue that reducers print on unless they are told otherwise.
  public static let defaultQueue = DispatchQueue(
    label: "StoreActorClassic.DebugEnvironment",
    qos: .background,
  )
}

extension AnyReducer {
  /// Prints each action that the reducer receives, and what changed.
  ///
  /// - Parameters:
  ///   - prefix: A text to print before each action.
  ///   - actionFormat: How much to print of an action.
  ///   - toDebugEnvironment: Makes of the environment what tells where to print.
  /// - Returns: The reducer, which prints.
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

  /// Prints each action that the reducer receives, and nothing about the state.
  ///
  /// - Parameters:
  ///   - prefix: A text to print before each action.
  ///   - actionFormat: How much to print of an action.
  ///   - toDebugEnvironment: Makes of the environment what tells where to print.
  /// - Returns: The reducer, which prints.
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

  /// Prints each action of one case, and what changed in a part of the state.
  ///
  /// - Parameters:
  ///   - prefix: A text to print before each action.
  ///   - toLocalState: The part of the state to print.
  ///   - toLocalAction: The case of the actions to print.
  ///   - actionFormat: How much to print of an action.
  ///   - toDebugEnvironment: Makes of the environment what tells where to print.
  /// - Returns: The reducer, which prints.
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
