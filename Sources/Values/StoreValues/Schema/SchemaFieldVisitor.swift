/// Visits the fields of records, with their names and key paths, while schemas are built.
package protocol SchemaFieldVisitor: AnyObject, Sendable {
  /// Visits a field of a record.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - keyPath: The key path of its value.
  func visit<Root, Part: ReplicatedState>(_ name: String, _ keyPath: KeyPath<Root, Part>)
}

extension SchemaRegistry {
  /// Visits the fields of a type, and of all types in it, in the order of declaration.
  ///
  /// Fields that are replicated as Codable values are not visited.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - visitor: The visitor of the fields.
  /// - Returns: The schema of the type.
  @discardableResult
  package static func visitFields<T: WirePayload>(
    of type: T.Type,
    _ visitor: some SchemaFieldVisitor,
  ) -> Schema {
    var registry = SchemaRegistry()
    registry.fieldVisitor = visitor
    return type.schema(in: &registry)
  }
}
