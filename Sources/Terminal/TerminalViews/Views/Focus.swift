/// A readable and settable value that determines which of several views has the focus.
///
/// ```swift
/// @FocusState var focus: Field?
/// …
/// TextField("E-mail", text: $email).focused($focus, equals: .email)
/// ```
///
/// The tabulator and the mouse change the value too. It keeps its first value, nil or false, until
/// the focus moves.
@propertyWrapper
public struct FocusState<Value: Hashable> {
  private let state: State<Value>

  /// Creates a focus that one view may have.
  public init() where Value == Bool {
    state = State(wrappedValue: false)
  }

  /// Creates a focus that one of several views may have.
  public init<Field: Hashable>() where Value == Field? {
    state = State(wrappedValue: nil)
  }

  /// The value that identifies the focused view; for a `Bool`, whether the view has the focus.
  public var wrappedValue: Value {
    get { state.wrappedValue }
    nonmutating set { state.wrappedValue = newValue }
  }

  /// The value as a binding, for `focused`.
  @MainActor
  public var projectedValue: Binding<Value> { state.projectedValue }
}

extension FocusState: ViewStateProperty {
  var storage: AnyObject { state.storage }

  func adopt(_ storage: AnyObject) { state.adopt(storage) }
}

extension View {
  /// Gives the view the focus while a value equals another one.
  ///
  /// - Parameters:
  ///   - focus: The value that identifies the focused view.
  ///   - field: The value for this view.
  /// - Returns: The view.
  public func focused<Field: Hashable>(
    _ focus: Binding<Field?>,
    equals field: Field,
  ) -> some View {
    Focused(content: self, field: Optional(field)) {
      focus.wrappedValue
    } setWanted: { isFocused in
      if isFocused { focus.wrappedValue = field } else { focus.wrappedValue = nil }
    }
  }

  /// Gives the view the focus while a value is true.
  ///
  /// - Parameter isFocused: Whether the view has the focus.
  /// - Returns: The view.
  public func focused(_ isFocused: Binding<Bool>) -> some View {
    Focused(content: self, field: true) {
      isFocused.wrappedValue
    } setWanted: {
      isFocused.wrappedValue = $0
    }
  }
}

private struct Focused<Content: View>: PrimitiveView {
  let content: Content
  let field: AnyHashable
  let value: @MainActor () -> AnyHashable
  let setWanted: @MainActor (Bool) -> Void

  var flexibility: Axes { content.stretch }
  func size(in proposal: Size) -> Size { content.measured(in: proposal) }

  func draw(in canvas: Canvas) {
    let place = canvas.frame.focusables.count
    content.drawn(in: canvas)
    guard canvas.frame.focusables.count > place else { return }
    let path = canvas.frame.focusables[place]
    canvas.frame.focusStates.append(
      Frame.Focus(path: path, field: field, value: value, setWanted: setWanted)
    )
  }
}
