import Synchronization

/// A body that is evaluated on first use, as a feature may contain itself.
///
/// The result is kept unless the body has a condition or a loop: then each action evaluates it.
@usableFromInline
final class PreparedBody<Base: Reducer>
where Base.Body: Reducer, Base.Body.State == Base.State, Base.Body.Action == Base.Action {
  @usableFromInline let base: Base
  @usableFromInline let scopes: ChildrenPath.Scopes
  // Unchecked, as checking costs a tenth of an action: it is set once, and then only read.
  @exclusivity(unchecked) @usableFromInline var body: Reduce<Base.State, Base.Action>?

  @inlinable
  init(_ base: Base) {
    self.base = base
    scopes = .now
  }

  @inlinable
  func reduce(_ state: inout Base.State, _ action: Base.Action) -> Effect<Base.Action> {
    // Only the function: a copy of the body would retain both of its functions.
    if let reduce = body?.reduce { return reduce(&state, action) }
    return evaluated.reduce(&state, action)
  }

  // Inlinable, so that the body is compiled with the feature, whose types are known there.
  @inlinable
  var evaluated: Reduce<Base.State, Base.Action> {
    if let body { return body }
    let (body, hasChoices) = BodyEvaluation.run { scopes.around { base.body._prepared() } }
    if !hasChoices { self.body = body }
    return body
  }
}

/// Records, while a body is evaluated, whether another evaluation could differ.
///
/// Conditions and loops record themselves when they are built. The body's type is not sufficient:
/// operators hide the types of their operands.
@usableFromInline
final class BodyEvaluation: Sendable {
  @TaskLocal private static var current: BodyEvaluation?

  private let hasChoices = Atomic(false)

  /// Evaluates a body.
  ///
  /// - Parameter evaluate: Evaluates the body.
  /// - Returns: The result, and whether the body has a condition or a loop.
  @usableFromInline
  static func run<Body>(_ evaluate: () -> Body) -> (body: Body, hasChoices: Bool) {
    let evaluation = BodyEvaluation()
    let body = $current.withValue(evaluation, operation: evaluate)
    return (body, evaluation.hasChoices.load(ordering: .relaxed))
  }

  /// Records a condition or a loop in the body that is being evaluated, if any.
  @usableFromInline
  static func noteChoice() {
    current?.hasChoices.store(true, ordering: .relaxed)
  }
}
