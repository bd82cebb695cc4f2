import Synchronization

/// Whether the feature of a test store has dismissed itself.
///
/// A feature that is presented in a program is the root in its test, where there is no parent to
/// dismiss it.
package final class TestDismissal: Sendable {
  private let flag = Atomic(false)

  package init() {}

  var isDismissed: Bool { flag.load(ordering: .acquiring) }

  /// Lets the feature dismiss itself.
  package func prepare(_ values: inout DependencyValues) {
    values.dismiss = DismissEffect { [self] in flag.store(true, ordering: .releasing) }
  }
}
