/// The work of a `run` effect, not yet started.
@usableFromInline
package final class EffectRun<Action>: Sendable {
  let priority: TaskPriority?
  let name: String?
  let owner: EffectOwner
  let location: IssueLocation?
  /// The path of the action that began the run, if no action states it.
  let path: [String]?
  let operation: @concurrent @Sendable (Send<Action>) async -> Void

  init(
    priority: TaskPriority?,
    name: String?,
    owner: EffectOwner = .sender,
    location: IssueLocation?,
    path: [String]? = nil,
    operation: @escaping @concurrent @Sendable (Send<Action>) async -> Void,
  ) {
    self.priority = priority
    self.name = name
    self.owner = owner
    self.location = location
    self.path = path
    self.operation = operation
  }

  /// The same run with the path of the action that began it.
  func beginning(at path: [String]) -> EffectRun {
    EffectRun(
      priority: priority,
      name: name,
      owner: owner,
      location: location,
      path: path,
      operation: operation,
    )
  }
}
