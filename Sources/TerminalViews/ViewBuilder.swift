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
public struct EmptyView: PrimitiveView {
  /// Creates it.
  public init() {}

  /// Writes nothing.
  public func render(on screen: inout Screen) {}
}

/// Two views, one below the other.
public struct Pair<First: View, Second: View>: PrimitiveView {
  let first: First
  let second: Second

  /// Writes both.
  public func render(on screen: inout Screen) {
    first.renderTree(on: &screen)
    second.renderTree(on: &screen)
  }
}

/// One of two views.
public enum Either<First: View, Second: View>: PrimitiveView {
  /// The one.
  case first(First)
  /// The other.
  case second(Second)

  /// Writes the one that there is.
  public func render(on screen: inout Screen) {
    switch self {
    case .first(let view): view.renderTree(on: &screen)
    case .second(let view): view.renderTree(on: &screen)
    }
  }
}

extension Optional: View where Wrapped: View {
  /// The view that there is, if any.
  public var body: Never {
    preconditionFailure("An optional view has no body; it renders itself.")
  }
}

extension Optional: PrimitiveView where Wrapped: View {
  /// Writes the view that there is.
  public func render(on screen: inout Screen) {
    self?.renderTree(on: &screen)
  }
}
