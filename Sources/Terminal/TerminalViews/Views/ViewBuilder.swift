/// Makes one view of several, in the closures of views.
@MainActor
@resultBuilder
public enum ViewBuilder {
  /// No view.
  public static func buildBlock() -> EmptyView {
    EmptyView()
  }

  /// The first view.
  public static func buildPartialBlock<V: View>(first: V) -> V {
    first
  }

  /// Views one below the other.
  public static func buildPartialBlock<A: View, B: View>(accumulated: A, next: B) -> Pair<A, B> {
    Pair(first: accumulated, second: next)
  }

  /// A view that may be absent.
  public static func buildOptional<V: View>(_ view: V?) -> V? {
    view
  }

  /// One of two views.
  public static func buildEither<A: View, B: View>(first: A) -> Either<A, B> {
    .first(first)
  }

  /// One of two views.
  public static func buildEither<A: View, B: View>(second: B) -> Either<A, B> {
    .second(second)
  }
}

/// No view.
public struct EmptyView: PrimitiveView, ViewGroup {
  /// Creates it.
  public init() {}

  var members: [StackMember] { [] }

  /// None.
  public func size(in _: Size) -> Size { .zero }

  /// Draws nothing.
  public func draw(in _: Canvas) {}
}

/// Two views, one below the other.
public struct Pair<First: View, Second: View>: PrimitiveView, ViewGroup {
  let first: First
  let second: Second

  var members: [StackMember] {
    [StackMember(path: [.index(0)], view: first), StackMember(path: [.index(1)], view: second)]
  }
  private var column: Stack { Stack(.vertical, flattened) }

  /// Those of both.
  public var flexibility: Axes { column.flexibility }

  /// The room of both.
  public func size(in proposal: Size) -> Size { column.size(in: proposal) }

  /// Draws both.
  public func draw(in canvas: Canvas) { column.draw(in: canvas) }
}

/// One of two views.
public enum Either<First: View, Second: View>: PrimitiveView, ViewGroup {
  /// The one.
  case first(First)
  /// The other.
  case second(Second)

  private var member: StackMember {
    switch self {
    case .first(let view): StackMember(path: [.branch(true)], view: view)
    case .second(let view): StackMember(path: [.branch(false)], view: view)
    }
  }

  var members: [StackMember] { [member] }

  /// Those of the one that there is.
  public var flexibility: Axes { member.stretch }

  /// The room of the one that there is.
  public func size(in proposal: Size) -> Size { member.measured(in: proposal) }

  /// Draws the one that there is.
  public func draw(in canvas: Canvas) { member.drawn(in: canvas) }
}

extension Optional: View where Wrapped: View {
  /// The view that there is, if any.
  public var body: Never {
    preconditionFailure("An optional view has no body; it draws itself.")
  }
}

extension Optional: PrimitiveView where Wrapped: View {
  /// Those of the view that there is.
  public var flexibility: Axes { self?.stretch ?? [] }

  /// The room of the view that there is.
  public func size(in proposal: Size) -> Size { self?.measured(in: proposal) ?? .zero }

  /// Draws the view that there is.
  public func draw(in canvas: Canvas) { self?.drawn(in: canvas) }
}

extension Optional: ViewGroup where Wrapped: View {
  var members: [StackMember] { map { [StackMember(view: $0)] } ?? [] }
}
