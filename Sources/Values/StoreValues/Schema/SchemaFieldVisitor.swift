/// Is shown the fields of records, by their names and key paths, while schemas are asked for.
package protocol SchemaFieldVisitor: AnyObject, Sendable {
  /// Looks at a field of a record.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - keyPath: Where its value is.
  func visit<Root, Part: ReplicatedState>(_ name: String, _ keyPath: KeyPath<Root, Part>)
}

extension SchemaRegistry {
  /// Shows the fields of a type, and of all types that it holds, in the order of declaration.
  ///
  /// Fields that are replicated as Codable values are not shown.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - visitor: Is shown the fields.
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
