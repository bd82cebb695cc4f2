import Observation

/// A value that belongs to a view's identity: it stays while drawings contain the view.
///
/// In a session its first value is used when the view is drawn for the first time. A change of it
/// draws the view again. Rows of a list that are scrolled out are not drawn, and lose it.
@propertyWrapper
public struct State<Value> {
  private let link: StateLink<Value>

  /// Creates a value.
  public init(wrappedValue: Value) {
    link = StateLink(wrappedValue)
  }

  /// The value.
  public var wrappedValue: Value {
    get { link.box.value }
    nonmutating set { link.box.value = newValue }
  }

  /// The value as a binding.
  @MainActor
  public var projectedValue: Binding<Value> {
    Binding {
      link.box.value
    } set: {
      link.box.value = $0
    }
  }
}

/// Leads from the copies of a view to the value that belongs to its identity.
private final class StateLink<Value> {
  var box: StateBox<Value>

  init(_ value: Value) {
    box = StateBox(value)
  }
}

@Observable
private final class StateBox<Value> {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }
}

extension State: ViewStateProperty {
  var storage: AnyObject { link.box }

  func adopt(_ storage: AnyObject) {
    if let box = storage as? StateBox<Value> { link.box = box }
  }
}

/// A value that a view shows and changes and that belongs to somebody else.
@MainActor
@propertyWrapper
public struct Binding<Value> {
  private let read: @MainActor () -> Value
  private let write: @MainActor (Value) -> Void

  /// Creates a binding of its two functions.
  public init(
    get: @escaping @MainActor () -> Value,
    set: @escaping @MainActor (Value) -> Void,
  ) {
    read = get
    write = set
  }

  /// The value.
  public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }

  /// Itself.
  public var projectedValue: Self { self }
}
