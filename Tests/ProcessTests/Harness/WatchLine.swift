import GenericState
import StoreState

/// A line of `storectl --json watch`.
struct WatchLine: Sendable {
  let scope: String
  let revision: Int
  let digest: String?
  /// The whole state; nil in a line with a delta.
  let state: JSONValue?
  /// The change of a revision; nil in a line with a state.
  let delta: JSONValue?

  init(_ line: String) throws {
    let tree = try JSONValue(parsing: line)
    guard case .string(let scope)? = tree["scope"], let revision = tree["revision"]?.int,
      (tree["state"] == nil) != (tree["delta"] == nil)
    else { throw ProcessFailure("This is no line of watch: \(line)") }
    self.scope = scope
    self.revision = revision
    digest = tree["digest"]?.text
    state = tree["state"]
    delta = tree["delta"]
  }
}

extension LineReader {
  /// The lines of a watch so far.
  func watched() throws -> [WatchLine] { try lines.map { try WatchLine($0) } }

  /// Waits for a whole state that satisfies a condition.
  @discardableResult
  func state(
    from start: Int = 0,
    _ what: String,
    where fits: @escaping @Sendable (JSONValue) -> Bool,
  ) async throws -> WatchLine {
    let found = try await line(from: start, what) { line in
      guard let state = try? WatchLine(line).state else { return false }
      return fits(state)
    }
    return try WatchLine(found.line)
  }
}

extension JSONValue {
  var int: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var items: [JSONValue]? {
    if case .array(let items) = self { items } else { nil }
  }
}

extension JSONValue: ExpressibleByNilLiteral {
  package init(nilLiteral: ()) { self = .null }
}
