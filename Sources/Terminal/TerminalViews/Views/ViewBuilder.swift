/// Combines several views into one, in the closures of views.
@MainActor
@resultBuilder
public enum ViewBuilder {
  /// Builds an empty view.
  public static func buildBlock() -> EmptyView {
    EmptyView()
  }

  /// Builds the first view.
  public static func buildPartialBlock<V: View>(first: V) -> V {
    first
  }

  /// Builds two views, one below the other.
  public static func buildPartialBlock<A: View, B: View>(accumulated: A, next: B) -> Pair<A, B> {
    Pair(first: accumulated, second: next)
  }

  /// Builds a view that may be absent.
  public static func buildOptional<V: View>(_ view: V?) -> V? {
    view
  }

  /// Builds the first of two views.
  public static func buildEither<A: View, B: View>(first: A) -> Either<A, B> {
    .first(first)
  }

  /// Builds the second of two views.
  public static func buildEither<A: View, B: View>(second: B) -> Either<A, B> {
    .second(second)
  }
}

/// A view without content or size.
public struct EmptyView: PrimitiveView, ViewGroup {
  /// Creates an empty view.
  public init() {}

  var members: [StackMember] { [] }

  /// Returns a size of zero.
  public func size(in _: Size) -> Size { .zero }

  /// Leaves the canvas unchanged.
  public func draw(in _: Canvas) {}
}

/// Two views, one below the other unless a stack around them lays them out.
public struct Pair<First: View, Second: View>: PrimitiveView, ViewGroup {
  let first: First
  let second: Second

  var members: [StackMember] {
    [StackMember(path: [.index(0)], view: first), StackMember(path: [.index(1)], view: second)]
  }
  private var column: Stack { Stack(.vertical, flattened) }

  /// The directions of both views.
  public var flexibility: Axes { column.flexibility }

  /// Returns the size of both views in a column.
  public func size(in proposal: Size) -> Size { column.size(in: proposal) }

  /// Draws both views.
  public func draw(in canvas: Canvas) { column.draw(in: canvas) }
}

/// One of two views.
public enum Either<First: View, Second: View>: PrimitiveView, ViewGroup {
  /// The first view.
  case first(First)
  /// The second view.
  case second(Second)

  private var member: StackMember {
    switch self {
    case .first(let view): StackMember(path: [.branch(true)], view: view)
    case .second(let view): StackMember(path: [.branch(false)], view: view)
    }
  }

  var members: [StackMember] { [member] }

  /// The directions of the present view.
  public var flexibility: Axes { member.stretch }

  /// Returns the size of the present view.
  public func size(in proposal: Size) -> Size { member.measured(in: proposal) }

  /// Draws the present view.
  public func draw(in canvas: Canvas) { member.drawn(in: canvas) }
}

extension Optional: View where Wrapped: View {
  /// Stops the program, since an optional view draws itself.
  public var body: Never {
    preconditionFailure("An optional view has no body; it draws itself.")
  }
}

extension Optional: PrimitiveView where Wrapped: View {
  /// The directions of the present view, if any.
  public var flexibility: Axes { self?.stretch ?? [] }

  /// Returns the size of the present view, or zero.
  public func size(in proposal: Size) -> Size { self?.measured(in: proposal) ?? .zero }

  /// Draws the view if it is present.
  public func draw(in canvas: Canvas) { self?.drawn(in: canvas) }
}

extension Optional: ViewGroup where Wrapped: View {
  var members: [StackMember] { map { [StackMember(view: $0)] } ?? [] }
}
