/// A queued action.
struct QueuedAction<Action> {
  let action: Action
  /// The lineage of the action's effects; nil for the batch's lineage.
  let lineage: EffectLineage?
  /// The task of the action, if it is a batch of its own.
  var ticket: QueuedTask?
  /// The effect that has sent the action, if it is a batch of its own.
  var cause: EffectCause?
}
