import IssueReporting

extension DependencyValues {
  /// Ends the presentation of the feature that uses it.
  ///
  /// ```swift
  /// @Dependency(\.dismiss) var dismiss
  /// …
  /// case .closeButtonTapped:
  ///   return .run { _ in await dismiss() }
  /// ```
  ///
  /// It dismisses the nearest presented feature around the caller: its parent receives
  /// `PresentationAction.dismiss`, or for an element of a stack `StackAction.popFrom(id:)`. A
  /// feature that is not presented cannot dismiss itself, which is reported; see ``isPresented``.
  public var dismiss: DismissEffect {
    get {
      let place = EffectPlace.current.nearestPresented
      let chosen = self[ChosenDismiss.self]
      if let effect = chosen.effect, chosen.isFor(place) { return effect }
      return DismissEffect(place)
    }
    set {
      let place = EffectPlace.current.nearestPresented
      self[ChosenDismiss.self] = ChosenDismiss(effect: newValue, place: place)
    }
  }
}

/// A custom `dismiss`, which applies until a feature is presented within its place.
private struct ChosenDismiss: DependencyKey, ReducerInput {
  var effect: DismissEffect?
  var place: EffectPlace?

  static let liveValue = ChosenDismiss()
  static let testValue = ChosenDismiss()

  /// The state determines whether a feature is presented.
  var isGivenAgain: Bool { true }

  func isFor(_ other: EffectPlace?) -> Bool {
    guard let place, let other else { return place == nil && other == nil }
    return place.isSame(as: other)
  }
}

/// Ends the presentation of a feature, from one of its effects: `await dismiss()`.
///
/// When this returns, the parent has handled the dismissal, and the feature's effects are
/// cancelled, including the caller: its later actions are dropped.
public struct DismissEffect: Sendable {
  let action: (@MainActor @Sendable (IssueLocation) -> Void)?

  /// Creates one that calls a function, for a test or for a feature with another kind of parent.
  public init(_ dismiss: @escaping @MainActor @Sendable () -> Void) {
    action = { _ in dismiss() }
  }

  init(_ place: EffectPlace?) {
    guard let place else {
      action = nil
      return
    }
    action = { location in place.dismiss(at: location) }
  }

  /// Ends the presentation.
  ///
  /// An effect of the presented feature must call it. It has no effect after the presentation
  /// has ended.
  @MainActor
  public func callAsFunction(
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let action else { return reportNotPresented(at: location) }
    action(location)
  }
}

private func reportNotPresented(at location: IssueLocation) {
  location.report(
    """
    A feature wanted to be dismissed at "\(location.fileID):\(location.line)", but it is not \
    presented.

    This is generally a mistake in the feature's logic: "@Dependency(\\.dismiss)" works in \
    features that are run by the "ifLet" of a presentation or by the "forEach" of a stack.

    To fix, ask "@Dependency(\\.isPresented)" before, where the feature is also used elsewhere. \
    When it is the root of a test, set "$0.dismiss = DismissEffect { … }" in "withDependencies".
    """
  )
}
