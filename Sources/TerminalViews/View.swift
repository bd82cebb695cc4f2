/// A part of what a program shows, made of other views, down to those that are lines of text.
///
/// ```swift
/// struct CounterView: View {
///   let store: Store<CounterState, CounterAction>
///
///   var body: some View {
///     WithViewStore(store) { viewStore in
///       HStack {
///         Button("−") { viewStore.send(.decrementButtonTapped) }
///         Text("\(viewStore.count)")
///         Button("+") { viewStore.send(.incrementButtonTapped) }
///       }
///     }
///   }
/// }
/// ```
///
/// A view is a description; ``Screen`` shows it, and does what its buttons do.
@MainActor
public protocol View {
  /// The type of view that this one is made of, or `Never`.
  associatedtype Body: View

  /// The view that this one is made of.
  @ViewBuilder var body: Body { get }
}

/// A view that is no other view: it writes to the screen itself.
@MainActor
public protocol PrimitiveView: View where Body == Never {
  /// Writes the view.
  func render(on screen: inout Screen)
}

extension PrimitiveView {
  /// None: the view writes itself.
  public var body: Never {
    preconditionFailure("'\(Self.self)' has no body; it renders itself.")
  }
}

extension Never: View {
  /// There is no such view.
  public var body: Never {
    preconditionFailure("There is no value of 'Never'.")
  }
}

extension View {
  /// Writes the view, whatever it is made of.
  public func renderTree(on screen: inout Screen) {
    if let primitive = self as? any PrimitiveView {
      primitive.render(on: &screen)
    } else {
      body.renderTree(on: &screen)
    }
  }
}
