/// An action that was reduced and has a reply, or whose revision may not be durable yet.
final class ReducedTask: Sendable {
  let action: AppliedAction
  let handle: (any StoreTaskHandle)?
  /// The durable revisions; nil without a journal.
  let kept: KeptRevisions?

  init(
    _ action: AppliedAction,
    handle: (any StoreTaskHandle)?,
    kept: KeptRevisions?,
  ) {
    self.action = action
    self.handle = handle
    self.kept = kept
  }
}
