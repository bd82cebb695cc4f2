/// A value that belongs to a view and stays when the view is described anew.
@propertyWrapper
public struct State<Value> {
  private final class Box {
    var value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  private let box: Box

  /// Creates a value.
  public init(wrappedValue: Value) {
    box = Box(wrappedValue)
  }

  /// The value.
  public var wrappedValue: Value {
    get { box.value }
    nonmutating set { box.value = newValue }
  }

  /// The value as a binding.
  @MainActor
  public var projectedValue: Binding<Value> {
    Binding {
      box.value
    } set: {
      box.value = $0
    }
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
