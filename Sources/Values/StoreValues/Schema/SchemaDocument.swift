public import StoreBytes

/// A schema with the definitions that it refers to: everything needed to read a value of it.
public struct SchemaDocument: Hashable, Sendable {
  /// What the values are.
  public let root: Schema

  /// The records and choices by name.
  public let definitions: [String: Definition]

  /// Creates a document and checks that it makes sense.
  ///
  /// - Throws: A `CodecError` when a name is not defined, a field, case or label stands there
  ///   twice, an identified array's elements have no such id, or a value would never end.
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

  /// The definition that a kind refers to; nil when it is no named one.
  public func definition(of schema: Schema) -> Definition? {
    guard case .named(let name) = schema else { return nil }
    return definitions[name]
  }
}
