/// Whether the feature of a test store has dismissed itself, which ends its effects.
///
/// A feature that is presented in a program is the root in its test, without a parent that could
/// dismiss it.
@MainActor
package final class TestDismissal {
  private(set) var isDismissed = false
  private var endEffects: () -> Void = {}

  package init() {}

  /// Sets the root that contains the feature.
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
