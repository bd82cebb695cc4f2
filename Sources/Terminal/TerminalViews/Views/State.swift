import Observation

/// A value that belongs to a view's identity: it lasts as long as drawings contain the view.
///
/// A session uses the initial value when it draws the view for the first time. A change of the
/// value draws the view again. A list does not draw rows outside its window, so these rows lose
/// the value.
@propertyWrapper
public struct State<Value> {
  private let link: StateLink<Value>

  /// Creates a state with an initial value.
  public init(wrappedValue: Value) {
    link = StateLink(wrappedValue)
  }

  /// The current value.
  public var wrappedValue: Value {
    get { link.box.value }
    nonmutating set { link.box.value = newValue }
  }

  /// A binding to the value.
  @MainActor
  public var projectedValue: Binding<Value> {
    Binding {
      link.box.value
    } set: {
      link.box.value = $0
    }
  }
}

/// Connects the copies of a view with the value that belongs to the view's identity.
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

/// A value that a view shows and changes, but does not own.
@MainActor
@propertyWrapper
public struct Binding<Value> {
  private let read: @MainActor () -> Value
  private let write: @MainActor (Value) -> Void

  /// Creates a binding from its reader and its writer.
  public init(
    get: @escaping @MainActor () -> Value,
    set: @escaping @MainActor (Value) -> Void,
  ) {
    read = get
    write = set
  }

  /// The bound value.
  public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }

  /// The binding itself.
  public var projectedValue: Self { self }
}
