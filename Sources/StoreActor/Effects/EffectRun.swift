/// The work of a `run` effect, not yet started.
@usableFromInline
package final class EffectRun<Action>: Sendable {
  let priority: TaskPriority?
  let name: String?
  /// Where the feature that returned the effect stands; cancellation ids used inside belong there.
  let path: NavigationIDPath?
  let location: IssueLocation?
  let operation: @concurrent @Sendable (Send<Action>) async -> Void

  init(
    priority: TaskPriority?,
    name: String?,
    path: NavigationIDPath?,
    location: IssueLocation?,
    operation: @escaping @concurrent @Sendable (Send<Action>) async -> Void,
  ) {
    self.priority = priority
    self.name = name
    self.path = path
    self.location = location
    self.operation = operation
  }
}
