import Synchronization

/// A cache of the types whose values equal themselves.
///
/// The answer needs a schema, and collections ask with every delta.
enum KnownEqualities {
  private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

  /// Returns the answer that a type's schema gives.
  static func equalsItself<Value: WireValue>(_ type: Value.Type) -> Bool {
    let identifier = ObjectIdentifier(type)
    if let answer = known.withLock({ $0[identifier] }) { return answer }
    var registry = SchemaRegistry()
    let root = type.schema(in: &registry)
    let document = SchemaDocument(trustedRoot: root, definitions: registry.definitions)
    let answer = !document.mayHoldFloats && !registry.hidesParts
    known.withLock { $0[identifier] = answer }
    return answer
  }
}
