package import StoreBytes

/// An action that a daemon can store, also if no client may send it.
///
/// A daemon with a journal records each action. Those of clients are recorded as they were
/// received. Of the actions of effects, only those that a client could have sent have a
/// recorded form, unless the root's action declares this protocol; of all others only the name
/// is recorded. With the forms, `stored replay` runs these revisions again, and a schedule can
/// send the action later.
///
/// A feature declares it in place of `WireAction`, whose meaning it includes: clients may send
/// the cases without `@ReplicationIgnored`. A `ReducerAction` that declares it is stored and
/// never sent:
///
/// ```swift
/// enum ViewAction: Equatable, WireAction {
///   case startButtonTapped
/// }
/// enum ReducerAction: Equatable, DurableAction {
///   case response(Result<Report, PrintError>)
///   @DurableIgnored case cookieReceived(String)
/// }
/// ```
///
/// The schema that clients see does not change. The parts of an action are stored in their durable
/// forms. The compiler reports a case whose payload has no form. A case that is marked
/// `@DurableIgnored` is not stored.
///
/// - Important: Payloads of these actions are then on the disk, in backups and exports, and in the
///   tests that `make-test` writes. Mark cases with secrets `@DurableIgnored`.
public protocol DurableAction: WireAction {}

extension SchemaRegistry {
  /// The names of types in the durable forms of an action that hide parts without being
  /// ``DurableState``, so that the forms lack these parts.
  package static func forgetfulTypes<Action: DurableAction>(in type: Action.Type) -> [String] {
    var registry = SchemaRegistry()
    registry._$isDurable = true
    _ = type.schema(in: &registry)
    return registry.forgetful
  }
}

extension DurableAction {
  /// The action's durable form.
  ///
  /// - Throws: A `CodecError` if a part of it has no such form.
  package func durablyEncoded() throws(CodecError) -> [UInt8] {
    var encoder = CBOREncoder.durable
    try encode(to: &encoder)
    return encoder.bytes
  }

  /// Reads an action from exactly its durable form.
  package init(durablyEncoded bytes: [UInt8]) throws(CodecError) {
    var decoder = CBORDecoder(durable: bytes[...])
    self = try ReadingScope.run { () throws(CodecError) in try Self(from: &decoder) }
    try decoder.finish()
  }
}
