#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A part of what a program shows, made of other views, down to those that draw cells.
///
/// ```swift
/// struct CounterView: View {
///   let store: StoreOf<Counter>
///
///   var body: some View {
///     HStack {
///       Button("−") { store.send(.decrementButtonTapped) }
///       Text("\(store.count)")
///       Button("+") { store.send(.incrementButtonTapped) }
///     }
///     .onKey("q") { quit() }
///   }
/// }
/// ```
///
/// A view is a description, made anew for each drawing. ``TerminalSession`` shows it on a terminal
/// and draws it again when something that it has read of a store, or of any other `Observable`
/// object, has changed. ``Screen`` shows it to a test.
///
/// What stays from one drawing to the next belongs to the view's identity: the focus, a field's
/// cursor, ``State``. A view's identity is its place among the views of its parent, or the id of
/// the element that it shows (``ForEach``, ``RowList``, ``View/id(_:)``). So it stays the same
/// whatever is inserted or removed beside it.
@MainActor
public protocol View {
  /// The type of view that this one is made of, or `Never`.
  associatedtype Body: View

  /// The view that this one is made of.
  @ViewBuilder var body: Body { get }
}

/// A view that is no other view: it draws itself.
@MainActor
public protocol PrimitiveView: View where Body == Never {
  /// The directions in which it takes whatever room there is; none unless it says so.
  var flexibility: Axes { get }

  /// The columns and rows that it wants of those that it is offered.
  func size(in proposal: Size) -> Size

  /// Draws the view.
  func draw(in canvas: Canvas)
}

extension PrimitiveView {
  /// None: the view draws itself.
  public var body: Never {
    preconditionFailure("'\(Self.self)' has no body; it draws itself.")
  }

  /// None.
  public var flexibility: Axes { [] }
}

extension Never: View {
  /// There is no such view.
  public var body: Never {
    preconditionFailure("There is no value of 'Never'.")
  }
}

/// Views that others lay out, as if each stood there itself; on their own they are a column.
@MainActor
protocol ViewGroup {
  var members: [StackMember] { get }
}

/// A view in a stack, with its identity among the others.
@MainActor
struct StackMember {
  var path: ViewPath = []
  let view: any View

  var stretch: Axes { ViewMemory.within(path) { view.stretch } }

  func measured(in proposal: Size) -> Size {
    ViewMemory.within(path) { view.measured(in: proposal) }
  }

  func drawn(in canvas: Canvas) { ViewMemory.within(path) { view.drawn(in: canvas) } }
}

extension View {
  /// The columns and rows that the view wants of those that it is offered, whatever it is made of.
  public func measured(in proposal: Size) -> Size {
    guard let primitive = self as? any PrimitiveView else {
      return withBody { $0.measured(in: proposal) }
    }
    defer { letOthersRun() }
    return primitive.size(in: proposal)
  }

  /// Draws the view, whatever it is made of.
  public func drawn(in canvas: Canvas) {
    if let primitive = self as? any PrimitiveView {
      primitive.draw(in: canvas)
      letOthersRun()
    } else {
      withBody { $0.drawn(in: canvas) }
    }
  }

  /// Lays out what the view is made of, with the state that belongs to its identity.
  private func withBody<Result>(_ layOut: (Body) -> Result) -> Result {
    ViewMemory.within(.body(ViewType(type: Self.self))) {
      ViewMemory.link(self)
      return layOut(body)
    }
  }

  /// Lets a thread go first that was woken on this core meanwhile.
  ///
  /// All of a drawing takes most of a millisecond, which is several times as long as an action that
  /// a daemon beside it has on its way.
  private func letOthersRun() { sched_yield() }

  /// The directions in which the view takes whatever room there is, whatever it is made of.
  public var stretch: Axes {
    if let primitive = self as? any PrimitiveView { return primitive.flexibility }
    return withBody { $0.stretch }
  }

  /// The views that stand here for whoever lays them out.
  var flattened: [StackMember] {
    guard let group = self as? any ViewGroup else { return [StackMember(view: self)] }
    return group.members.flatMap { member in
      member.view.flattened.map { StackMember(path: member.path + $0.path, view: $0.view) }
    }
  }

  /// What it says, on one line.
  var title: String { Screen(of: self).lines.joined(separator: " ") }
}

/// A view that draws another one and does something besides.
@MainActor
struct Modified<Content: View>: PrimitiveView {
  let content: Content
  let modify: @MainActor (Canvas) -> Void

  var flexibility: Axes { content.stretch }
  func size(in proposal: Size) -> Size { content.measured(in: proposal) }

  func draw(in canvas: Canvas) {
    content.drawn(in: canvas)
    modify(canvas)
  }
}
