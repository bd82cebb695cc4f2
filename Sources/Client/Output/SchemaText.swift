import StoreReplication
import StoreState

/// A scope's schemas in words, for people.
struct SchemaText {
  let description: ScopeDescription

  /// What the state is made of, what it consists of, and what may be sent.
  var lines: [String] {
    var lines = [description.pattern]
    if let id = description.id { lines.append("  id      \(id.root)") }
    lines.append("  state   \(description.state.root)")
    for name in Self.definitions(of: description.state) {
      lines += definition(name).map { "    \($0)" }
    }
    lines.append(description.actions.isEmpty ? "  actions none" : "  actions")
    lines += description.actions.map { "    \(Self.text(of: $0))" }
    for name in Self.definitions(of: description.action) where !isRoot(name) {
      lines += choice(name, in: description.action).map { "      \($0)" }
    }
    return lines + outputLines
  }

  /// What the scope puts out, where that travels.
  private var outputLines: [String] {
    guard let output = description.output else { return [] }
    let definitions = Self.definitions(of: output).flatMap { choice($0, in: output) }
    return ["  outputs \(output.root)"] + definitions.map { "    \($0)" }
  }

  /// An action as one writes it in Swift: `addButtonTapped(title: text)`.
  static func text(of action: Definition.Case) -> String {
    guard !action.payload.isEmpty else { return action.name }
    let parts = action.payload.map { part in
      part.name.hasPrefix("_") ? "\(part.schema)" : "\(part.name): \(part.schema)"
    }
    return "\(action.name)(\(parts.joined(separator: ", ")))"
  }

  private func isRoot(_ name: String) -> Bool { description.action.root == .named(name) }

  /// The definitions' names: the root's first, the others in order.
  private static func definitions(of document: SchemaDocument) -> [String] {
    var names = document.definitions.keys.sorted()
    if case .named(let root) = document.root {
      names.removeAll { $0 == root }
      names.insert(root, at: 0)
    }
    return names
  }

  private func definition(_ name: String) -> [String] {
    switch description.state.definitions[name] {
    case .record(let fields):
      var table = TextTable()
      for field in fields { table.add(field.name, "\(field.schema)") }
      return [name] + table.lines(indentation: 2)
    case .choice: return choice(name, in: description.state)
    case nil: return []
    }
  }

  private func choice(_ name: String, in document: SchemaDocument) -> [String] {
    switch document.definitions[name] {
    case .choice(let cases):
      return ["\(name): \(cases.map(Self.text).joined(separator: " | "))"]
    case .record(let fields):
      return ["\(name): \(fields.map { "\($0.name): \($0.schema)" }.joined(separator: ", "))"]
    case nil: return []
    }
  }
}

extension ScopeDescription {
  /// What clients may send.
  var actions: [Definition.Case] {
    guard case .choice(let cases) = action.definition(of: action.root) else { return [] }
    return cases
  }

  /// What programs may know of it, as `docs/PROTOCOL.md` §2 and §8.1 have it.
  func json() throws(CommandError) -> JSONValue {
    [
      "scope": .string(pattern), "each": .bool(isEach), "state": try Self.tree(state),
      "actions": try Self.tree(action), "id": try id.map(Self.tree) ?? .null,
      "output": try output.map(Self.tree) ?? .null,
    ]
  }

  private static func tree(_ document: SchemaDocument) throws(CommandError) -> JSONValue {
    var encoder = CBOREncoder()
    document.encode(to: &encoder)
    do throws(CodecError) {
      let value = try GenericValue(encoded: encoder.bytes)
      return JSONProjection.tree(value, schema: .any, in: document)
    } catch {
      throw CommandError(.badData, "The schema \(document.root) cannot be written: \(error)")
    }
  }
}
