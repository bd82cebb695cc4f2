package import StoreActor
package import StoreProtocol
import StoreState

/// What causes the revision that is about to come, as the recorder notes it.
package enum RecordCause {
  /// An action of a client. Nearly all are, so the recorder has its bytes already.
  case client
  /// Nothing is reduced, or it is not known yet what.
  case daemon
  indirect case other(JournalRecord.Origin)
}

/// A session whose actions are recorded, with what the records of all of them have in common.
package final class RecordedSession {
  /// What stands before an action's sequence, and behind its bytes.
  private let (start, end): ([UInt8], [UInt8])

  package init(client: Identifier, number: UInt64, identity: ActionOrigin.Identity) {
    (start, end) = JournalRecord.ClientAction.surroundings(client, number, identity)
  }

  /// Writes an action of the session as a record's origin.
  ///
  /// - Parameters:
  ///   - action: Its bytes.
  ///   - sequence: Its number among those of the client.
  ///   - scope: The name of the scope that it was sent to.
  ///   - encoder: Where it is written.
  package func encode(
    _ action: some Collection<UInt8>,
    _ sequence: UInt64,
    to scope: String,
    _ encoder: inout CBOREncoder,
  ) {
    encoder.append(raw: start)
    encoder.encode(unsigned: sequence)
    encoder.encode(text: scope)
    encoder.encode(bytes: action)
    encoder.append(raw: end)
  }
}
