import Synchronization

/// A body that is evaluated when it is first needed: a feature may contain itself.
///
/// It is kept, unless it has a condition or a loop: then it is evaluated for each action.
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
    // The function alone: a copy of the body would retain both of its functions.
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

/// Notes, while a body is evaluated, whether it might describe something else another time.
///
/// Conditions and loops tell it when they are built. Asking the body's type would not do: operators
/// hide the types of what they are applied to.
@usableFromInline
final class BodyEvaluation: Sendable {
  @TaskLocal private static var current: BodyEvaluation?

  private let hasChoices = Atomic(false)

  /// Evaluates a body.
  ///
  /// - Parameter evaluate: Makes what the body describes.
  /// - Returns: What that is, and whether there was a condition or a loop in it.
  @usableFromInline
  static func run<Body>(_ evaluate: () -> Body) -> (body: Body, hasChoices: Bool) {
    let evaluation = BodyEvaluation()
    let body = $current.withValue(evaluation, operation: evaluate)
    return (body, evaluation.hasChoices.load(ordering: .relaxed))
  }

  /// Notes a condition or a loop in the body that is evaluated now, if any is.
  @usableFromInline
  static func noteChoice() {
    current?.hasChoices.store(true, ordering: .relaxed)
  }
}
