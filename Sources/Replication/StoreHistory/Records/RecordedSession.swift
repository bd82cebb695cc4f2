package import StoreActor
public import StoreBytes
package import StoreProtocol

/// A session whose actions are recorded, with the bytes that all of its records share.
@usableFromInline
package final class RecordedSession {
  /// The bytes before an action's sequence, and after its action.
  @usableFromInline let (start, end): ([UInt8], [UInt8])

  package init(client: Identifier, number: UInt64, identity: ActionOrigin.Identity) {
    (start, end) = JournalRecord.ClientAction.surroundings(client, number, identity)
  }

  /// Writes an action of the session as a record's origin.
  ///
  /// - Parameters:
  ///   - action: Its bytes.
  ///   - sequence: Its number among those of the client.
  ///   - scope: The name of the scope that it was sent to.
  ///   - encoder: The encoder to write to.
  @inlinable package func encode(
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
