import Synchronization

/// Which types' values equal themselves: that takes a schema, and collections ask with every delta.
enum KnownEqualities {
  private static let known = Mutex<[ObjectIdentifier: Bool]>([:])

  /// What the schema of a type tells.
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
