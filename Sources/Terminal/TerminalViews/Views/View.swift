#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A part of a program's picture, composed of other views, down to those that draw cells.
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
/// A view is a description, recreated for each drawing. ``TerminalSession`` shows it on a terminal,
/// and draws it again after a change of a value that it has read from a store or from another
/// `Observable` object. ``Screen`` shows it to a test.
///
/// The focus, a field's cursor and ``State`` belong to the view's identity and last between
/// drawings. A view's identity is its place among the views of its parent, or the id of the element
/// that it shows (``ForEach``, ``RowList``, ``View/id(_:)``). So it stays the same when other views
/// are inserted or removed beside it.
@MainActor
public protocol View {
  /// The type of the view's body, or `Never`.
  associatedtype Body: View

  /// The content of the view.
  @ViewBuilder var body: Body { get }
}

/// A view that draws itself.
@MainActor
public protocol PrimitiveView: View where Body == Never {
  /// The directions in which it takes all available room; empty by default.
  var flexibility: Axes { get }

  /// Returns the size that the view wants, given the proposed size.
  func size(in proposal: Size) -> Size

  /// Draws the view.
  func draw(in canvas: Canvas)
}

extension PrimitiveView {
  /// Stops the program, since the view draws itself.
  public var body: Never {
    preconditionFailure("'\(Self.self)' has no body; it draws itself.")
  }

  /// An empty set: the view keeps its own size.
  public var flexibility: Axes { [] }
}

extension Never: View {
  /// Stops the program, since `Never` has no values.
  public var body: Never {
    preconditionFailure("There is no value of 'Never'.")
  }
}

/// A group whose members other views lay out one by one; on its own it is a column.
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
  /// Returns the size that the view wants, given the proposed size.
  public func measured(in proposal: Size) -> Size {
    guard let primitive = self as? any PrimitiveView else {
      return withBody { $0.measured(in: proposal) }
    }
    defer { letOthersRun() }
    return primitive.size(in: proposal)
  }

  /// Draws the view, through its body unless it is primitive.
  public func drawn(in canvas: Canvas) {
    if let primitive = self as? any PrimitiveView {
      primitive.draw(in: canvas)
      letOthersRun()
    } else {
      withBody { $0.drawn(in: canvas) }
    }
  }

  /// Lays out the view's body, with the state that belongs to its identity.
  private func withBody<Result>(_ layOut: (Body) -> Result) -> Result {
    ViewMemory.within(.body(ViewType(type: Self.self))) {
      ViewMemory.link(self)
      return layOut(body)
    }
  }

  /// Yields to a thread that was woken on this core meanwhile.
  ///
  /// A whole drawing takes most of a millisecond: several times as long as a daemon on the same
  /// machine needs for an action.
  private func letOthersRun() { sched_yield() }

  /// The directions in which the view, or its body, takes all available room.
  public var stretch: Axes {
    if let primitive = self as? any PrimitiveView { return primitive.flexibility }
    return withBody { $0.stretch }
  }

  /// The view, or the members of its group, for a parent to lay out.
  var flattened: [StackMember] {
    guard let group = self as? any ViewGroup else { return [StackMember(view: self)] }
    return group.members.flatMap { member in
      member.view.flattened.map { StackMember(path: member.path + $0.path, view: $0.view) }
    }
  }

  /// The view's text, on one line.
  var title: String { Screen(of: self).lines.joined(separator: " ") }
}

/// A view that draws another one and then calls a closure.
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
