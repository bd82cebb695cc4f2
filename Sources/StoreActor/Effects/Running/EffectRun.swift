/// The work of a `run` effect, not yet started.
@usableFromInline
package final class EffectRun<Action>: Sendable {
  let priority: TaskPriority?
  let name: String?
  let location: IssueLocation?
  /// Where it began, where no action says that.
  let path: [String]?
  let operation: @concurrent @Sendable (Send<Action>) async -> Void

  init(
    priority: TaskPriority?,
    name: String?,
    location: IssueLocation?,
    path: [String]? = nil,
    operation: @escaping @concurrent @Sendable (Send<Action>) async -> Void,
  ) {
    self.priority = priority
    self.name = name
    self.location = location
    self.path = path
    self.operation = operation
  }

  /// The same run, with the place where it began.
  func beginning(at path: [String]) -> EffectRun {
    EffectRun(
      priority: priority,
      name: name,
      location: location,
      path: path,
      operation: operation,
    )
  }
}
