package import GenericState
package import StoreState

/// A client's information about an exposure (`docs/PROTOCOL.md` §8.1): its name and its schemas.
package struct ScopeDescription: Hashable, Sendable {
  package var name: String
  package var state: SchemaDocument
  package var action: SchemaDocument
  /// The schema of a row's id; nil if the exposure has no rows.
  package var id: SchemaDocument?
  /// The schema of the published outputs, if any.
  package var output: SchemaDocument?
  /// Whether the client may send only the described actions.
  package var isLimited = false
  /// The schema of the reducers' replies, if any.
  package var replies: SchemaDocument?

  package init(
    name: String,
    state: SchemaDocument,
    action: SchemaDocument,
    id: SchemaDocument?,
    output: SchemaDocument? = nil,
    replies: SchemaDocument? = nil,
  ) {
    self.replies = replies
    self.name = name
    self.state = state
    self.action = action
    self.id = id
    self.output = output
  }

  /// Whether a name is valid for an exposure: words of letters, digits, `-`, `_` and `.` of ASCII
  /// that begin with a letter or a digit, with `/` between them.
  package static func isName(_ name: String) -> Bool {
    func isLetterOrDigit(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
    let words = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return name.utf8.count <= Limits.exposureNameBytes
      && words.allSatisfy { word in
        word.first.map(isLetterOrDigit) == true
          && word.allSatisfy { isLetterOrDigit($0) || "-_.".utf8.contains($0) }
      }
  }

  /// Whether each row is a scope.
  package var isEach: Bool { id != nil }

  /// The name in its readable form: that of rows has a placeholder for the id.
  package var pattern: String { isEach ? "\(name)/<id>" : name }

  /// Matches a scope's name with this description.
  ///
  /// - Parameter scope: The whole name.
  /// - Returns: Nil if it does not match; else the row's id, or nil in an exposure without rows.
  package func match(_ scope: String) -> String?? {
    // By bytes: names that only Swift considers equal are different.
    let count = name.utf8.count
    guard isEach else {
      return scope.utf8.count == count && scope.utf8.elementsEqual(name.utf8) ? .some(nil) : nil
    }
    guard scope.utf8.count > count + 1, scope.utf8.starts(with: name.utf8) else { return nil }
    let rest = scope.utf8.dropFirst(count)
    return rest.first == UInt8(ascii: "/") ? .some(String(rest.dropFirst())) : nil
  }

  /// The canonical name of a scope: an id may have several spellings, such as a UUID in lower case.
  ///
  /// - Parameter scope: A name that ``match(_:)`` finds.
  /// - Returns: The name with the one spelling of its id that the schema's JSON has.
  /// - Throws: if the name does not end in an id of the schema.
  package func canonicalName(_ scope: String) throws(JSONProjectionError) -> String {
    guard let id, let text = match(scope) ?? nil else { return name }
    return "\(name)/\(try Self.canonicalID(text, id.root, id))"
  }

  /// The canonical text of an id.
  package static func canonicalID(
    _ text: String,
    _ schema: Schema,
    _ document: SchemaDocument,
  ) throws(JSONProjectionError) -> String {
    self.text(of: try idValue(text, schema, document), schema, document)
  }

  /// The first byte of an encoded UUID: a byte string of 16 bytes.
  private static let uuidHeader: UInt8 = 0x50

  /// The id for a text in a scope's name.
  package static func id<ID: WireValue>(
    _ text: String,
    _ document: SchemaDocument,
  ) throws(CodecError) -> ID {
    // Without a tree of values in between: a join names a thousand rows, most of them by UUIDs.
    if document.root == .uuid, let bytes = UUIDText.bytes(of: text) {
      return try ID(encoded: [uuidHeader] + bytes)
    }
    let value: GenericValue
    do throws(JSONProjectionError) {
      value = try idValue(text, document.root, document)
    } catch {
      throw CodecError(.typeMismatch, error.message)
    }
    return try ID(encoded: value.encoded())
  }

  /// The text of an id in a scope's name; nil if the id does not have the schema.
  package static func text(of id: some WireValue, _ document: SchemaDocument) -> String? {
    text(ofEncoded: id.encoded(), document)
  }

  /// The text of an encoded id in a scope's name; nil if the id does not have the schema.
  package static func text(ofEncoded id: [UInt8], _ document: SchemaDocument) -> String? {
    if document.root == .uuid, id.count == 17, id[0] == uuidHeader {
      return UUIDText.text(of: id.dropFirst())
    }
    do throws(CodecError) {
      return text(of: try GenericValue(encoded: id), document.root, document)
    } catch {
      // Its coding does not read its own bytes, so no client can name the row.
      return nil
    }
  }

  /// The text of an id, of a schema in a document.
  package static func text(
    of id: GenericValue,
    _ schema: Schema,
    _ document: SchemaDocument,
  ) -> String {
    let tree = JSONProjection.tree(id, schema: schema, in: document)
    if case .string(let text) = tree { return text }
    return tree.text()
  }

  /// An id is written as its JSON without quotes: so the text is read as a string, or else as JSON.
  private static func idValue(
    _ text: String,
    _ schema: Schema,
    _ document: SchemaDocument,
  ) throws(JSONProjectionError) -> GenericValue {
    do throws(JSONProjectionError) {
      return try JSONProjection.value(from: .string(text), schema: schema, in: document)
    } catch let error {
      guard let number = try? JSONValue(parsing: text) else { throw error }
      return try JSONProjection.value(from: number, schema: schema, in: document)
    }
  }
}

extension ScopeDescription {
  /// Writes the description as
  /// `[name, each, state, action, id / null, ? output / null, ? limited, ? replies]`.
  package func encode(to encoder: inout CBOREncoder) {
    let count = replies != nil ? 8 : isLimited ? 7 : output != nil ? 6 : 5
    encoder.arrayHeader(count)
    encoder.encode(text: name)
    encoder.encode(bool: isEach)
    state.encode(to: &encoder)
    action.encode(to: &encoder)
    if let id { id.encode(to: &encoder) } else { encoder.encodeNull() }
    if let output { output.encode(to: &encoder) } else if count > 5 { encoder.encodeNull() }
    if count > 6 { encoder.encode(bool: isLimited) }
    if let replies { replies.encode(to: &encoder) }
  }

  package init(from decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.arrayHeader()
    try decoder.require(5, of: count, "a scope's description")
    name = try decoder.text()
    _ = try decoder.bool()
    state = try SchemaDocument(from: &decoder)
    action = try SchemaDocument(from: &decoder)
    id = try decoder.nullIfPresent() ? nil : try SchemaDocument(from: &decoder)
    guard count > 5 else { return }
    output = try decoder.nullIfPresent() ? nil : try SchemaDocument(from: &decoder)
    guard count > 6 else { return }
    isLimited = try decoder.bool()
    guard count > 7 else { return }
    replies = try decoder.nullIfPresent() ? nil : try SchemaDocument(from: &decoder)
    try decoder.skipItems(count - 8)
  }
}

extension [ScopeDescription] {
  /// The description of a scope's name and, for a row, the text of its id.
  package func find(_ scope: String) -> (description: ScopeDescription, id: String?)? {
    for description in self {
      if let id = description.match(scope) { return (description, id) }
    }
    return nil
  }

  /// The nearest valid names for an unknown one.
  package func suggestions(for scope: String) -> [String] {
    NearestNames().suggestions(for: scope, among: map(\.pattern))
  }
}
