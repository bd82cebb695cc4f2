import GenericState
import StoreProtocol
import StoreState
import TerminalViews

/// A part of a state of any type, as a node of an outline.
struct StateNode: Sendable {
  /// The identity of a part.
  enum Key: Hashable, Sendable {
    case field(String)
    case index(Int)
    /// A row's id, or a dictionary's key: it is stable when other parts are inserted or removed.
    case id(GenericValue)
  }

  /// The identity of a row of a list.
  struct RowID: Hashable, Sendable {
    /// The field that contains the id.
    let field: String
    let schema: Schema
    let text: String
  }

  let label: String
  /// The id, if this node is a row of a list whose rows have ids.
  let rowID: RowID?
  private let value: GenericValue
  private let schema: Schema
  private let document: SchemaDocument

  init(
    _ label: String,
    _ value: GenericValue,
    _ schema: Schema,
    in document: SchemaDocument,
    rowID: RowID? = nil,
  ) {
    self.label = label
    self.rowID = rowID
    (self.value, self.schema) = Self.unwrapped(value, schema)
    self.document = document
  }

  /// The value of an optional that is present, at any depth of nesting.
  private static func unwrapped(
    _ value: GenericValue,
    _ schema: Schema,
  ) -> (GenericValue, Schema) {
    guard case .optional(let wrapped) = schema, value != .null else { return (value, schema) }
    if wrapped.admitsNull, case .array(let items) = value, let item = items.first {
      return unwrapped(item, wrapped)
    }
    return unwrapped(value, wrapped)
  }

  // MARK: - Parts

  /// The kind of identity that its parts have.
  enum Form: Hashable {
    /// By the fields of a record, or of the case with a name.
    case fields(ofCase: String?)
    /// By ids, which are stable when other parts are inserted or removed.
    case ids
    /// By their positions.
    case places
  }

  /// The kind of identity that its parts have; nil if it cannot have parts.
  var form: Form? {
    if isRecord { return .fields(ofCase: isChoice ? value.caseAndPayload?.name : nil) }
    switch (value, schema) {
    case (.array, .identified), (.map, _): return .ids
    case (.array, _), (.set, _): return hasItems ? .places : nil
    default: return nil
    }
  }

  var isNull: Bool { value == .null }

  /// Whether the values are equal, regardless of their labels.
  func isSame(as other: StateNode) -> Bool { value == other.value }

  /// Whether a part's value equals that of a part of another node of the same form.
  func isPart(at offset: Int, sameAs other: StateNode, at otherOffset: Int) -> Bool {
    partValue(at: offset) == other.partValue(at: otherOffset)
  }

  private func partValue(at offset: Int) -> GenericValue {
    if let (values, fields) = fields { return values[field: fields[offset].name] ?? .null }
    switch value {
    case .array(let items): return items[offset]
    case .set(let items): return items[offset]
    case .map(let entries): return entries[offset].value
    default: preconditionFailure("\(schema) has no part \(offset)")
    }
  }

  /// The fields of a record, or of the payload of a case.
  private var fields: (values: GenericValue, fields: [Definition.Field])? {
    switch document.definition(of: schema) {
    case .record(let fields): return (value, fields)
    case .choice(let cases):
      guard let (name, payload) = value.caseAndPayload, let payload,
        let found = cases.first(where: { $0.name == name })
      else { return nil }
      return (payload, found.payload)
    case nil: return nil
    }
  }

  /// Whether its parts are fields: those of a record, or of a case.
  var isRecord: Bool { fields != nil }

  var partCount: Int {
    if let fields { return fields.fields.count }
    switch value {
    case .array(let items): return hasItems ? items.count : 0
    case .set(let items): return items.count
    case .map(let entries): return entries.count
    default: return 0
    }
  }

  /// Whether an encoded array is a list, not a number or a time.
  private var hasItems: Bool {
    switch schema {
    case .array, .set, .identified, .any: true
    default: false
    }
  }

  func part(at offset: Int) -> StateNode {
    if let (values, fields) = fields {
      let field = fields[offset]
      return StateNode(field.name, values[field: field.name] ?? .null, field.schema, in: document)
    }
    switch (value, schema) {
    case (.array(let items), .array(let element)):
      return StateNode("\(offset)", items[offset], element, in: document)
    case (.set(let items), .set(let element)):
      return StateNode("\(offset)", items[offset], element, in: document)
    case (.array(let items), .identified(let field, let id, let element)):
      let name = items[offset][field: field].map { keyText($0, id) } ?? "\(offset)"
      let rowID = RowID(field: field, schema: id, text: name)
      return StateNode(name, items[offset], element, in: document, rowID: rowID)
    case (.map(let entries), .dictionary(let key, let content)):
      let entry = entries[offset]
      return StateNode(keyText(entry.key, key), entry.value, content, in: document)
    case (.map(let entries), _):
      let entry = entries[offset]
      return StateNode(keyText(entry.key, .any), entry.value, .any, in: document)
    case (.array(let items), _): return StateNode("\(offset)", items[offset], .any, in: document)
    case (.set(let items), _): return StateNode("\(offset)", items[offset], .any, in: document)
    default: preconditionFailure("\(schema) has no part \(offset)")
    }
  }

  func key(at offset: Int) -> Key {
    if let fields { return .field(fields.fields[offset].name) }
    switch (value, schema) {
    case (.array(let items), .identified(let field, _, _)):
      return items[offset][field: field].map(Key.id) ?? .index(offset)
    case (.map(let entries), _): return .id(entries[offset].key)
    default: return .index(offset)
    }
  }

  func offset(of key: Key) -> Int? {
    switch key {
    case .field(let name): return fields?.fields.firstIndex { $0.name == name }
    case .index(let offset): return offset < partCount ? offset : nil
    case .id(let id):
      switch (value, schema) {
      case (.array(let items), .identified(let field, _, _)):
        return items.place(of: id, in: field)
      case (.map(let entries), _): return entries.firstIndex { $0.key == id }
      default: return nil
      }
    }
  }

  // MARK: - Searching

  /// The offsets of the parts whose label or content contains a text.
  func places(of search: TextSearch) -> [Int] {
    (0..<partCount).filter { offset in
      let part = part(at: offset)
      return search.isFound(in: part.label) || part.contains(search)
    }
  }

  /// Whether its own text, or that of a part at any depth, contains a text.
  ///
  /// The names of fields are not searched: each row contains them.
  private func contains(_ search: TextSearch) -> Bool {
    if let (values, fields) = fields {
      return fields.contains { field in
        let content = values[field: field.name] ?? .null
        return StateNode(field.name, content, field.schema, in: document).contains(search)
      }
    }
    if case .text(let text) = value { return search.isFound(in: text) }
    guard let form else { return search.isFound(in: ownText) }
    return (0..<partCount).contains { offset in
      let part = part(at: offset)
      return form == .ids && search.isFound(in: part.label) || part.contains(search)
    }
  }

  // MARK: - Texts

  /// The title for people: a row's first text that is not its id, otherwise the label.
  var title: String {
    guard let rowID else { return label }
    return titleField?.text ?? Self.shortened(rowID.text)
  }

  /// The row's id, shortened; nil if the title is the id, or if this is not a row.
  var shortID: String? { titleField.flatMap { _ in rowID.map { Self.shortened($0.text) } } }

  private static let mostInTitle = 40

  private static func shortened(_ id: String) -> String {
    id.count <= 12 ? id : "\(id.prefix(4))…\(id.suffix(4))"
  }

  /// The field of a row's first text that is not its id, and the beginning of the text.
  private var titleField: (name: String, text: String)? {
    guard let rowID, let fields else { return nil }
    for field in fields.fields where field.name != rowID.field {
      let content = fields.values[field: field.name] ?? .null
      let part = StateNode(field.name, content, field.schema, in: document)
      guard part.schema == .text, case .text(let text) = part.value else { continue }
      let line = text.prefix(Self.mostInTitle + 1).prefix { !$0.isNewline }
      guard line.contains(where: { !$0.isWhitespace }) else { continue }
      let isWhole = line.count <= Self.mostInTitle && line.endIndex == text.endIndex
      return (field.name, isWhole ? text : "\(line.prefix(Self.mostInTitle))…")
    }
    return nil
  }

  /// The whole text of a value without parts, for people.
  var fullText: String {
    if case .text(let text) = value { return text }
    return JSONProjection.json(value, schema: schema, in: document)
  }

  /// The titles of the rows that have scopes of a kind, by their ids.
  func titles(of description: ScopeDescription) -> [String: String] {
    var found: [String: String] = [:]
    for offset in 0..<partCount {
      let part = part(at: offset)
      if let rowID = part.rowID, part.isState(of: description) {
        if part.titleField != nil { found[rowID.text] = part.title }
      } else if part.rowID == nil {
        found.merge(part.titles(of: description)) { first, _ in first }
      }
    }
    return found
  }

  /// Whether its type is the state of a kind of scope.
  func isState(of description: ScopeDescription) -> Bool { schema == description.state.root }

  /// The text of its line: the value, or the short parts, or the number of parts.
  var summary: String {
    if let fields {
      // The line already contains the title and the id.
      let said = rowID.map { [$0.field, titleField?.name] } ?? []
      let shown = fields.fields.filter { !said.contains($0.name) }.prefix(8).compactMap {
        field -> String? in
        let content = fields.values[field: field.name] ?? .null
        let part = StateNode(field.name, content, field.schema, in: document)
        return part.partCount == 0 ? "\(field.name) \(part.ownText)" : nil
      }
      let caseName = value.caseAndPayload.flatMap { isChoice ? $0.name : nil }
      // All rows of a list have the same type, so its name is omitted.
      let name = caseName ?? (rowID == nil ? "\(schema)" : nil)
      return ([name].compactMap { $0 } + shown).joined(separator: "  ")
    }
    guard partCount > 0 else { return ownText }
    return Counted.text(partCount, "element")
  }

  private var isChoice: Bool {
    if case .choice = document.definition(of: schema) { true } else { false }
  }

  private var ownText: String {
    if hasItems, case .array = value { return "no elements" }
    return text(value, schema)
  }

  /// A row's id, or a key.
  private func keyText(_ value: GenericValue, _ schema: Schema) -> String {
    let tree = JSONProjection.tree(value, schema: schema, in: document)
    return if case .string(let text) = tree { text } else { tree.text() }
  }

  /// The beginning of a value without parts: a line must stay short.
  private func text(_ value: GenericValue, _ schema: Schema) -> String {
    if case .text(let text) = value, text.utf8.count > 400 {
      return JSONValue.string(String(text.prefix(200))).text()
    }
    if case .bytes(let bytes) = value, bytes.count > 400 { return "\(bytes.count) bytes" }
    return JSONProjection.json(value, schema: schema, in: document)
  }
}

extension StateNode: OutlineNode {}
