package import StoreActor
public import StoreBytes
package import StoreProtocol

/// A session whose actions are recorded, with the bytes that all of its records share.
@usableFromInline
package final class RecordedSession {
  /// The bytes before an action's sequence, and after its action.
  @usableFromInline let (start, end): ([UInt8], [UInt8])
  /// The name that the client chose, until a record contains it; then nil.
  @exclusivity(unchecked) @usableFromInline package private(set) var name: String?

  package init(
    client: Identifier,
    number: UInt64,
    identity: ActionOrigin.Identity,
    name: String? = nil,
  ) {
    (start, end) = JournalRecord.ClientAction.surroundings(client, number, identity)
    self.name = name
  }

  /// Notes that a record contains the name.
  package func nameIsRecorded() { name = nil }

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
    if let name { return encodeFirst(action, sequence, to: scope, name, &encoder) }
    encoder.append(raw: start)
    encoder.encode(unsigned: sequence)
    encoder.encode(text: scope)
    encoder.encode(bytes: action)
    encoder.append(raw: end)
  }

  /// Writes an action with the session's name, which is one more item of the array.
  @usableFromInline
  func encodeFirst(
    _ action: some Collection<UInt8>,
    _ sequence: UInt64,
    to scope: String,
    _ name: String,
    _ encoder: inout CBOREncoder,
  ) {
    encoder.arrayHeader(8)
    encoder.append(raw: start.dropFirst())
    encoder.encode(unsigned: sequence)
    encoder.encode(text: scope)
    encoder.encode(bytes: action)
    encoder.append(raw: end)
    encoder.encode(text: name)
  }
}
