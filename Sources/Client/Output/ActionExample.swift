import GenericState
import StoreState

/// JSON examples of a schema's values, which show the syntax.
struct ActionExample {
  let document: SchemaDocument
  /// The depth from which optional parts are omitted.
  private static let plainDepth = 3
  /// The depth limit, which recursive types would exceed.
  private static let mostDepth = 8

  /// The most values of an example: types that hold each other grow with every level.
  private static let mostValues = 1_000

  /// Returns a case in the syntax of `send`: its name, or JSON.
  func text(of action: Definition.Case) -> String {
    var left = Self.mostValues
    return action.payload.isEmpty ? action.name : tree(of: action, depth: 0, &left).text()
  }

  /// The texts with which the fields of a form begin, one for each part of a payload.
  func texts(of action: Definition.Case) -> [String] {
    var left = Self.mostValues
    return action.payload.map { part in
      switch part.schema {
      case .text, .uuid, .url, .date: ""
      default: tree(of: part.schema, depth: Self.plainDepth, &left).text()
      }
    }
  }

  private func tree(of schema: Schema, depth: Int, _ left: inout Int) -> JSONValue {
    guard left > 0 else { return .null }
    left -= 1
    let isPlain = depth >= Self.plainDepth
    switch schema {
    case .bool: return .bool(false)
    case .text: return "text"
    case .uuid: return "00000000-0000-0000-0000-000000000000"
    case .url: return "https://example.com"
    case .date: return "2026-01-31T09:30:00Z"
    case .bytes: return "AAE="
    case .null, .any: return .null
    case .optional(let wrapped):
      if isPlain { return .null }
      let value = tree(of: wrapped, depth: depth + 1, &left)
      return wrapped.admitsNull ? [value] : value
    case .array(let element), .set(let element), .identified(_, _, let element):
      return isPlain ? [] : [tree(of: element, depth: depth + 1, &left)]
    case .dictionary(let key, _): return key.isNameable(in: document) ? [:] : []
    case .named: return depth < Self.mostDepth ? named(schema, depth, &left) : .null
    default: return 0
    }
  }

  private func named(_ schema: Schema, _ depth: Int, _ left: inout Int) -> JSONValue {
    switch document.definition(of: schema) {
    case .record(let fields): return record(fields, depth, &left)
    case .choice(let cases):
      let simple = depth < Self.plainDepth ? nil : cases.first(where: \.payload.isEmpty)
      guard let example = simple ?? cases.first else { return .null }
      return tree(of: example, depth: depth, &left)
    case nil: return .null
    }
  }

  private func tree(of action: Definition.Case, depth: Int, _ left: inout Int) -> JSONValue {
    guard let first = action.payload.first else { return .string(action.name) }
    let payload =
      action.payload.count == 1 && first.name == "_0"
      ? tree(of: first.schema, depth: depth + 1, &left) : record(action.payload, depth, &left)
    return .object([.init(action.name, payload)])
  }

  private func record(
    _ fields: [Definition.Field],
    _ depth: Int,
    _ left: inout Int,
  ) -> JSONValue {
    .object(fields.map { .init($0.name, tree(of: $0.schema, depth: depth + 1, &left)) })
  }
}
