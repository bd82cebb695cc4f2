package import StoreBytes

/// State that a daemon stores on its disk as a whole, with the parts that no client sees.
///
/// A replicated state has a second form, its **durable form**: the replicated fields, followed by
/// those that are marked `@ReplicationIgnored`. A type without hidden fields needs no conformance,
/// because its two forms are equal. A type with hidden fields declares this conformance in place of
/// `ReplicatedState`, and `@ObservableState` generates the rest:
///
/// ```swift
/// @ObservableState
/// struct State: DurableState, Equatable, Sendable {
///   var guess = 0
///   @ReplicationIgnored var secret = 0
///   @ReplicationIgnored @DurableIgnored var cache: [Int: String] = [:]
/// }
/// ```
///
/// Hidden fields are then stored like all others, except for `@DurableIgnored` properties, which
/// reset to their defaults. A replicated property may have this mark too: it has its default in the
/// first revision after a restart, and all clients see that change.
public protocol DurableState: ReplicatedState {}

extension DurableState {
  /// The state as a restarted daemon has it: the parts that are not kept have their defaults.
  ///
  /// - Throws: A `CodecError` if the state cannot be read from its own encoding.
  package func begunAnew() throws(CodecError) -> Self {
    var encoder = CBOREncoder.durable
    encode(to: &encoder)
    var decoder = CBORDecoder(restarting: encoder.bytes[...])
    let state = try ReadingScope.run { () throws(CodecError) in
      try decoder.value(Self.self)
    }
    try decoder.finish()
    return state
  }
}

extension CBOREncoder {
  /// Whether two values have the same encoding in the encoder's form.
  func areSame<Value: WireValue>(_ one: Value, _ other: Value) -> Bool {
    guard _$isDurable else { return one._$isSame(as: other) }
    if _$haveSameBits(one, other) { return true }
    // `_$isSame` ignores hidden parts.
    var first = ofSameForm()
    var second = ofSameForm()
    one.encode(to: &first)
    other.encode(to: &second)
    return first.hasSameBytes(as: second)
  }
}

extension SchemaRegistry {
  /// The schema of a type's durable form, and the types that would lose their hidden parts.
  ///
  /// - Parameter type: The type.
  /// - Returns: The schema with all definitions and hints that it needs, the names of types in it
  ///   that hide parts without being ``DurableState``, whether a replicated part resets at a
  ///   restart, and the properties that are marked not to be stored.
  @usableFromInline
  package static func durableSchema<T: DurableState>(
    for type: T.Type
  ) -> (schema: ReaderSchema, forgetful: [String], hasEphemeralParts: Bool, unkept: [String]) {
    var registry = SchemaRegistry(collectingHints: true)
    registry._$isDurable = true
    let root = type.schema(in: &registry)
    let document = SchemaDocument(trustedRoot: root, definitions: registry.definitions)
    return (
      ReaderSchema(document, hints: registry.hints), registry.forgetful, registry.hasEphemeralParts,
      registry.unkept,
    )
  }
}
