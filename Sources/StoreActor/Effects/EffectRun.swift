/// The work of a `run` effect, not yet started.
@usableFromInline
package final class EffectRun<Action>: Sendable {
  let priority: TaskPriority?
  let name: String?
  let location: IssueLocation?
  let operation: @concurrent @Sendable (Send<Action>) async -> Void

  init(
    priority: TaskPriority?,
    name: String?,
    location: IssueLocation?,
    operation: @escaping @concurrent @Sendable (Send<Action>) async -> Void,
  ) {
    self.priority = priority
    self.name = name
    self.location = location
    self.operation = operation
  }
}
