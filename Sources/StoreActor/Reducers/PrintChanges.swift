import CustomDump
public import Dispatch

extension Reducer {
  /// Prints each action that this reducer receives, and what changed.
  ///
  /// - Parameter printer: How to print; nil switches printing off.
  /// - Returns: The reducer, which prints.
  public func _printChanges(
    _ printer: _ReducerPrinter<State, Action>? = .customDump
  ) -> _PrintChangesReducer<Self> {
    _PrintChangesReducer(base: self, printer: printer)
  }
}

/// How ``Reducer/_printChanges(_:)`` prints.
public struct _ReducerPrinter<State, Action> {
  private let onChange: (_ receivedAction: Action, _ oldState: State, _ newState: State) -> Void
  private let queue: DispatchQueue?

  /// Creates a printer of a function.
  ///
  /// - Parameters:
  ///   - printChange: Is called after each action with the states before and after it.
  ///   - queue: Where to call it, so that describing large states holds up nobody; actions and
  ///     states must be safe to read there, and what is not printed when the program ends is lost.
  ///     Without a queue it is called on the spot.
  public init(
    printChange: @escaping (_ receivedAction: Action, _ oldState: State, _ newState: State) -> Void,
    queue: DispatchQueue? = nil,
  ) {
    onChange = printChange
    self.queue = queue
  }

  /// Prints an action, and what it changed.
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

  /// Prints the names of the action's cases and nothing else.
  public static var actionLabels: Self {
    Self { receivedAction, _, _ in
      DebugOutput.write("received action: \(caseLabels(of: receivedAction))")
    }
  }
}

/// What ``Reducer/_printChanges(_:)`` makes.
public struct _PrintChangesReducer<Base: Reducer>: Reducer {
  private let base: Reduce<Base.State, Base.Action>
  private let printer: _ReducerPrinter<Base.State, Base.Action>?

  init(base: Base, printer: _ReducerPrinter<Base.State, Base.Action>?) {
    self.base = base._prepared()
    self.printer = printer
  }

  /// Runs the reducer and prints what it did.
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

  /// Tells the reducer that this one is made of.
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
