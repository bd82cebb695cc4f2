import GenericState
import StoreProtocol
import StoreState

/// A scope's schemas in words, for people.
struct SchemaText {
  let description: ScopeDescription

  /// The state's parts, the actions and their syntax, then each named type once.
  var lines: [String] {
    var lines = [description.pattern]
    if let id = description.id { lines.append("  id       \(id.root)") }
    lines.append("  state    \(description.state.root)")
    lines += Types.lines(of: description.state.definition(of: description.state.root), 4)
    lines += actionLines
    if let output = description.output {
      lines.append("  outputs  \(output.root)")
      lines += Types.lines(of: output.definition(of: output.root), 4)
    }
    if let replies = description.replies {
      lines.append("  replies  \(replies.root)")
      lines += Types.lines(of: replies.definition(of: replies.root), 4)
    }
    return lines + Types(description).lines
  }

  private var actionLines: [String] {
    guard !description.actions.isEmpty else { return ["  actions  none"] }
    let example = ActionExample(document: description.action)
    return ["  actions, and the arguments of \"storectl send \(description.pattern)\""]
      + description.actions.flatMap { action in
        ["    \(Self.text(of: action))", "      \(ShellWord.quoted(example.text(of: action)))"]
      }
  }

  /// An action in Swift's syntax: `addButtonTapped(title: text)`.
  static func text(of action: Definition.Case) -> String {
    guard !action.payload.isEmpty else { return action.name }
    let parts = action.payload.map { part in
      part.name.hasPrefix("_") ? "\(part.schema)" : "\(part.name): \(part.schema)"
    }
    return "\(action.name)(\(parts.joined(separator: ", ")))"
  }

  /// Types that others name, each of them once.
  private struct Types {
    private var found: [(name: String, definition: Definition)] = []

    init(_ description: ScopeDescription) {
      let outgoing = [description.output, description.replies].compactMap(\.self)
      let documents = [description.state, description.action] + outgoing
      // The types of the state, the actions, the outputs and the replies are listed above.
      let said = Set(documents.compactMap { $0.definition(of: $0.root) })
      for document in documents {
        for type in document.definitions.sorted(by: { $0.key < $1.key })
        where !said.contains(type.value) && !found.contains(where: { $0 == type }) {
          found.append((type.key, type.value))
        }
      }
    }

    var lines: [String] {
      guard !found.isEmpty else { return [] }
      return ["  types"]
        + found.flatMap { name, definition in
          ["    \(name)"] + Self.lines(of: definition, 6)
        }
    }

    /// Returns a record's fields, or a choice's cases; empty without a definition.
    static func lines(of definition: Definition?, _ indentation: Int) -> [String] {
      var table = TextTable()
      switch definition {
      case .record(let fields):
        for field in fields { table.add(field.name, "\(field.schema)") }
      case .choice(let cases):
        for choice in cases { table.add(SchemaText.text(of: choice)) }
      case nil: break
      }
      return table.lines(indentation: indentation)
    }
  }
}

extension ScopeDescription {
  /// The actions that clients may send.
  var actions: [Definition.Case] {
    guard case .choice(let cases) = action.definition(of: action.root) else { return [] }
    return cases
  }

  /// The description for programs, in the form of `docs/PROTOCOL.md` §2 and §8.1.
  func json() throws(CommandError) -> JSONValue {
    [
      "scope": .string(pattern), "each": .bool(isEach), "state": try Self.tree(state),
      "actions": try Self.tree(action), "id": try id.map(Self.tree) ?? .null,
      "output": try output.map(Self.tree) ?? .null,
      "replies": try replies.map(Self.tree) ?? .null,
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
