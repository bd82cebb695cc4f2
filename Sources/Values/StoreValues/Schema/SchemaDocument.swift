public import StoreBytes

/// A schema with the definitions to which it refers: all that a reader of its values needs.
public struct SchemaDocument: Hashable, Sendable {
  /// The schema of the values.
  public let root: Schema

  /// The records and choices by name.
  public let definitions: [String: Definition]

  /// Creates a document and checks that it is valid.
  ///
  /// - Throws: A `CodecError` if a name is undefined, a field, case or label occurs twice, the
  ///   elements of an identified array lack the id field, or a value would contain itself
  ///   without end.
  public init(root: Schema, definitions: [String: Definition]) throws(CodecError) {
    self.root = root
    self.definitions = definitions
    try SchemaCheck(document: self).run()
  }

  /// Creates a document from this program's own types.
  package init(trustedRoot root: Schema, definitions: [String: Definition]) {
    do throws(CodecError) {
      try self.init(root: root, definitions: definitions)
    } catch {
      preconditionFailure("The schema of a type of this program is malformed: \(error)")
    }
  }

  /// The definition to which a kind refers; nil if the kind is not named.
  public func definition(of schema: Schema) -> Definition? {
    guard case .named(let name) = schema else { return nil }
    return definitions[name]
  }
}
