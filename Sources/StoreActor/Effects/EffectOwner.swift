/// The owner of a running effect: it ends with its owner.
public enum EffectOwner: Sendable {
  /// The sender of the action. The effect ends when the task of the action is cancelled. In a
  /// daemon it also ends with the session of the client.
  case sender
  /// The daemon, or this process. The effect outlives the sender: it ends by itself, when an
  /// ``Effect/cancel(id:)`` or the removal of its child cancels it, or with the daemon.
  case daemon
}
