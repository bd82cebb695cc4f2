/// The names of a record's fields or of a payload's labels: in the order of declaration, which
/// deltas use, and in the order of their encodings, which snapshots use.
package struct FieldOrder: Sendable {
  package let names: [String]
  /// Each name as an item, in the order of declaration.
  let encodedNames: [[UInt8]]
  /// The indices in the order of declaration, sorted by the names' encodings.
  let canonical: [Int]
  /// The names' digests, in the order of declaration.
  let digests: [Digest]
  /// Whether both orders are the same.
  let isCanonical: Bool

  package init(_ names: [String], of owner: String) {
    let encoded = names.map { $0.encoded() }
    self.names = names
    encodedNames = encoded
    digests = names.map(\._$digest)
    canonical = names.indices.sorted {
      CBORDecoder.compare(encoded[$0][...], encoded[$1][...]) < 0
    }
    isCanonical = canonical.elementsEqual(names.indices)
    precondition(
      Set(names).count == names.count,
      "\(owner) has a name twice among its \(names.count): \(names.joined(separator: ", "))",
    )
  }
}

extension CBORDecoder {
  /// Reads the name of the field at `place`, the next one in the order of encodings.
  ///
  /// `left` is the number of the map's unread entries.
  package mutating func fieldName(
    _ order: FieldOrder,
    at place: Int,
    left: Int,
  ) throws(CodecError) {
    guard left > 0 else { throw missing(order.names[place]) }
    guard !(try readIfPresent(order.encodedNames[place])) else { return }
    let start = offset
    let found = try text()
    guard found.encoded() < order.encodedNames[place] else { throw missing(order.names[place]) }
    throw .unknownName(found, "field", among: order.names, offset: start)
  }

  /// Rejects entries after the last field.
  package mutating func checkNoMoreFields(_ order: FieldOrder, left: Int) throws(CodecError) {
    guard left > 0 else { return }
    let start = offset
    throw .unknownName(try text(), "field", among: order.names, offset: start)
  }

  private func missing(_ name: String) -> CodecError {
    error(.missingField, "the field \"\(name)\" is missing")
  }
}

extension [UInt8] {
  fileprivate static func < (one: [UInt8], other: [UInt8]) -> Bool {
    CBORDecoder.compare(one[...], other[...]) < 0
  }
}
