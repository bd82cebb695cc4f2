import CustomDump
public import Dispatch

extension Reducer {
  /// Prints each action that this reducer receives, and its changes.
  ///
  /// - Parameter printer: Prints; nil disables printing.
  /// - Returns: The reducer, which prints.
  public func _printChanges(
    _ printer: _ReducerPrinter<State, Action>? = .customDump
  ) -> _PrintChangesReducer<Self> {
    _PrintChangesReducer(base: self, printer: printer)
  }
}

/// The format of ``Reducer/_printChanges(_:)``.
public struct _ReducerPrinter<State, Action> {
  private let onChange: (_ receivedAction: Action, _ oldState: State, _ newState: State) -> Void
  private let queue: DispatchQueue?

  /// Creates a printer from a function.
  ///
  /// - Parameters:
  ///   - printChange: Called after each action with the states before and after it.
  ///   - queue: The queue of the calls, so that printing large states blocks no reducer. Actions
  ///     and states must be safe to read there. Pending prints are lost when the program ends.
  ///     Without a queue, calls are synchronous.
  public init(
    printChange: @escaping (_ receivedAction: Action, _ oldState: State, _ newState: State) -> Void,
    queue: DispatchQueue? = nil,
  ) {
    onChange = printChange
    self.queue = queue
  }

  /// Prints an action and its changes.
  public func printChange(receivedAction: Action, oldState: State, newState: State) {
    guard let queue else { return onChange(receivedAction, oldState, newState) }
    let change = UncheckedSendable((onChange, receivedAction, oldState, newState))
    queue.async {
      let (onChange, receivedAction, oldState, newState) = change.wrappedValue
      onChange(receivedAction, oldState, newState)
    }
  }
}

extension _ReducerPrinter {
  /// Prints the action in full and the difference between the states.
  public static var customDump: Self {
    Self { receivedAction, oldState, newState in
      var target = "received action:\n"
      CustomDump.customDump(receivedAction, to: &target, indent: 2)
      target.write("\n")
      target.write(diff(oldState, newState).map { "\($0)\n" } ?? "  (No state changes)\n")
      DebugOutput.write(target)
    }
  }

  /// Prints only the names of the action's cases.
  public static var actionLabels: Self {
    Self { receivedAction, _, _ in
      DebugOutput.write("received action: \(caseLabels(of: receivedAction))")
    }
  }
}

/// The result of ``Reducer/_printChanges(_:)``.
public struct _PrintChangesReducer<Base: Reducer>: Reducer {
  private let base: Reduce<Base.State, Base.Action>
  private let printer: _ReducerPrinter<Base.State, Base.Action>?

  init(base: Base, printer: _ReducerPrinter<Base.State, Base.Action>?) {
    self.base = base._prepared()
    self.printer = printer
  }

  /// Runs the reducer and prints its changes.
  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    guard let printer else { return base.reduce(&state, action) }
    var oldState = state
    SharedStates.updateSnapshots(&oldState)
    let effects = base.reduce(&state, action)
    var newState = state
    SharedStates.updateSnapshots(&newState)
    printer.printChange(receivedAction: action, oldState: oldState, newState: newState)
    return effects
  }

  /// Passes the restoration to the base reducer.
  public func _restored(
    _ state: inout Base.State,
    _ restoration: Restoration,
  ) -> Effect<Base.Action> {
    base._restored(&state, restoration)
  }
}

/// The names of an enum's case and of the cases inside it: `Feature.Action.child(.tapped)`.
package func caseLabels(of action: some Any) -> String {
  "\(nestedName(of: type(of: action)))\(caseLabel(of: action))"
}

/// A type's name with those of the types around it, without its module's.
private func nestedName(of type: Any.Type) -> String {
  let name = String(reflecting: type)
  guard !name.contains("("), !name.contains("<"), let dot = name.firstIndex(of: ".") else {
    return "\(type)"
  }
  return String(name[name.index(after: dot)...])
}

private func caseLabel(of value: Any) -> String {
  let mirror = Mirror(reflecting: value)
  guard mirror.displayStyle == .enum else { return "" }
  guard let payload = mirror.children.first, let label = payload.label else { return ".\(value)" }
  let inner = caseLabel(of: payload.value)
  return inner.isEmpty ? ".\(label)" : ".\(label)(\(inner))"
}
