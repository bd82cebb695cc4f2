import StoreActor
import StoreState

/// What causes the revision that is about to come, as it is handed to the recorder.
///
/// Nearly always that is an action of a client, which is written as it is, without being made a
/// `JournalRecord.Origin` first: that copies its bytes and retains five parts.
enum RecordCause {
  case client(RecordedAction)
  /// Nothing is reduced, or it is not known yet what.
  case daemon
  indirect case other(JournalRecord.Origin)

  /// The same as a record has it that was read.
  var origin: JournalRecord.Origin {
    switch self {
    case .client(let action): action.origin
    case .daemon: .daemon
    case .other(let origin): origin
    }
  }

  func encode(to encoder: inout CBOREncoder) {
    guard case .client(let action) = self else { return origin.encode(to: &encoder) }
    action.encode(to: &encoder)
  }
}

/// An action of a client that is about to be reduced.
struct RecordedAction {
  let session: RecordedSession
  /// The action's number among those of the client.
  let sequence: UInt64
  /// The name of the scope that it was sent to.
  let scope: String
  let action: ArraySlice<UInt8>

  var origin: JournalRecord.Origin {
    .client(
      JournalRecord.ClientAction(
        client: session.client,
        session: session.number,
        sequence: sequence,
        scope: scope,
        action: Array(action),
        identity: session.identity,
      )
    )
  }

  func encode(to encoder: inout CBOREncoder) {
    encoder.append(raw: session.start)
    encoder.encode(unsigned: sequence)
    encoder.encode(text: scope)
    encoder.encode(bytes: action)
    encoder.append(raw: session.end)
  }
}

/// A session whose actions are recorded, with what the records of all of them have in common.
final class RecordedSession {
  let client: Identifier
  let number: UInt64
  let identity: ActionOrigin.Identity
  /// What stands before an action's sequence, and behind its bytes.
  fileprivate let (start, end): ([UInt8], [UInt8])

  init(client: Identifier, number: UInt64, identity: ActionOrigin.Identity) {
    self.client = client
    self.number = number
    self.identity = identity
    (start, end) = JournalRecord.ClientAction.surroundings(client, number, identity)
  }
}
