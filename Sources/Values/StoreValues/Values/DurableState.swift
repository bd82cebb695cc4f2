import StoreBytes

/// State that a daemon keeps on its disk as a whole, also what it shows to nobody.
///
/// A replicated state has a second form, its **durable form**: the fields that travel, and behind
/// them those that are marked `@ReplicationIgnored`. A type that hides nothing needs no
/// conformance, for its two forms are one. One that does declares it in place of
/// `ReplicatedState`, and `@ObservableState` writes the rest:
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
/// What is hidden is then kept like everything else, except for `@DurableIgnored` properties, which
/// begin anew with their defaults. A property that travels may be marked so too: it has its default
/// again in the first revision after a restart, where everybody sees it change.
public protocol DurableState: ReplicatedState {}

extension CBOREncoder {
  /// Whether two values have the same encoding in the form that is being written.
  func areSame<Value: WireValue>(_ one: Value, _ other: Value) -> Bool {
    guard _$isDurable else { return one._$isSame(as: other) }
    if _$haveSameBits(one, other) { return true }
    // `isSame` does not see what is hidden.
    var first = ofSameForm()
    var second = ofSameForm()
    one.encode(to: &first)
    other.encode(to: &second)
    return first.hasSameBytes(as: second)
  }
}

extension SchemaRegistry {
  /// The schema of a type's durable form, and the types that would lose what they hide.
  ///
  /// - Parameter type: The type.
  /// - Returns: The schema with all definitions that it needs and what helps to read others, the
  ///   names of types in it that hide something without being ``DurableState``, whether something
  ///   that travels begins anew after a restart, and the properties that are marked not to be kept.
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
