import StoreHistory

/// The cause of the next revision, as the recorder stores it.
enum RecordCause {
  /// An action of a client. Nearly all causes are, so the recorder has the action's bytes already.
  case client
  /// No action is reduced, or the action is not known yet.
  case daemon
  indirect case other(JournalRecord.Origin)
}
