/// A value of any type in its wire form, with the hash of its type's schema.
package struct EncodedValue: Hashable, Sendable {
  /// The hash of the schema of its type.
  package let schema: Digest
  /// One item.
  package let bytes: [UInt8]

  /// Creates a value from its encoding.
  package init(schema: Digest, bytes: [UInt8]) {
    self.schema = schema
    self.bytes = bytes
  }
}
