/// Whether the feature of a test store has dismissed itself, which ends its effects.
///
/// A feature that is presented in a program is the root in its test, where there is no parent to
/// dismiss it.
@MainActor
package final class TestDismissal {
  private(set) var isDismissed = false
  private var endEffects: () -> Void = {}

  package init() {}

  /// Says which root the feature is in.
  package func observe(_ root: RootCore<some Any, some Any>) {
    endEffects = { [weak root] in root?.cancelEffects() }
  }

  /// Lets the feature dismiss itself.
  package func prepare(_ values: inout DependencyValues) {
    values.dismiss = DismissEffect { [self] in
      isDismissed = true
      endEffects()
    }
  }
}
