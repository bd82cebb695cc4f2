import Synchronization

/// The way from the effects of a presented feature to the action that ends its presentation.
///
/// A feature is reduced without knowing its parents' actions. Its effects know: their actions are
/// turned into the parents' as they are sent. So each effect lays a connection while it runs.
final class DismissRoute: Sendable {
  private struct Connections {
    var all: [Int: @MainActor @Sendable () -> Void] = [:]
    var next = 0
  }

  private let connections = Mutex(Connections())

  /// Sends the action that ends the presentation, as an action of any effect that runs.
  @MainActor
  func dismiss(at location: IssueLocation) {
    guard let dismissal = connections.withLock({ $0.all.values.first }) else {
      return reportNoEffect(at: location)
    }
    dismissal()
  }

  /// Calls an operation, and until it has ended `dismissal` ends the presentation.
  nonisolated(nonsending) func connecting(
    _ dismissal: @escaping @MainActor @Sendable () -> Void,
    operation: nonisolated(nonsending) () async -> Void,
  ) async {
    let number = connections.withLock { connections in
      connections.next += 1
      connections.all[connections.next] = dismissal
      return connections.next
    }
    await operation()
    _ = connections.withLock { $0.all.removeValue(forKey: number) }
  }

  private func reportNoEffect(at location: IssueLocation) {
    location.report(
      """
      A feature wanted to be dismissed at "\(location.fileID):\(location.line)", but none of the \
      effects of the action that led there was running.

      "dismiss" was kept by something that outlives the effect, or called in a reducer. Call it \
      inside of an "Effect.run" that the presented feature returned, before the effect ends.
      """
    )
  }
}

extension Effect {
  /// Lets the effect's tasks end the presentation that they belong to, by an action of the parent.
  func dismissible(
    by route: DismissRoute,
    _ dismissal: @escaping @Sendable () -> Action,
  ) -> Self {
    mapRuns { $0.dismissible(by: route, dismissal) }
  }
}

extension EffectRun {
  fileprivate func dismissible(
    by route: DismissRoute,
    _ dismissal: @escaping @Sendable () -> Action,
  ) -> EffectRun {
    EffectRun(priority: priority, name: name, path: path, location: location) {
      [operation] send in
      await route.connecting({ send.deliver(dismissal()) }) { await operation(send) }
    }
  }
}
