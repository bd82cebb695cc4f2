import GenericState
import StoreActor
import StoreProtocol
import StoreServer
import StoreState
import StoredWorkspace

/// Answers of a daemon with a journal about the past of the counter and the todos.
@MainActor
final class BenchPast {
  /// The states by their revisions.
  private var states: [WorkspaceFeature.State] = []
  /// The actions that produced the states.
  private var actions: [(scope: String, action: GenericValue)?] = []
  /// The next action of another client, if there is one.
  var action: WorkspaceFeature.Action?
  /// States before this revision are not kept.
  var oldest: UInt64 = 0
  /// The unanswered queries, while answers are held back.
  private var waiting: [@MainActor () -> Void] = []
  var isHeldBack = false
  private(set) var questions: [HistoryQuery] = []

  func note(_ state: WorkspaceFeature.State, at revision: UInt64) {
    guard UInt64(states.count) == revision else { return }
    states.append(state)
    let sent: (String, [UInt8]?)? =
      switch action {
      case .todos(let action): ("todos", try? action.encoded())
      case .counter(let action): ("counter", try? action.encoded())
      default: nil
      }
    actions.append(
      sent.flatMap { scope, bytes in
        bytes.flatMap { try? GenericValue(encoded: $0) }.map { (scope, $0) }
      }
    )
    action = nil
  }

  func ask(
    _ query: HistoryQuery,
    _ body: @escaping @MainActor (Result<HistoryAnswer, CodecError>) -> Void,
  ) {
    questions.append(query)
    if isHeldBack {
      waiting.append { [self] in body(.success(answer(query))) }
    } else {
      body(.success(answer(query)))
    }
  }

  /// Answers the oldest query.
  func answerNext() { if !waiting.isEmpty { waiting.removeFirst()() } }

  private func answer(_ query: HistoryQuery) -> HistoryAnswer {
    switch query {
    case .log(let after, let count, _, _):
      let first = max(after, oldest) + 1
      let entries = (first..<max(first, UInt64(states.count))).prefix(Int(count)).map(entry)
      let reached = max(after, first - 1 + UInt64(entries.count))
      return .log(entries: entries, next: reached, end: UInt64(states.count - 1))
    case .state(let revision, let scope):
      guard revision >= oldest else { return .failed(.init(.gone, "It is not kept any more.")) }
      guard revision < states.count else {
        return .failed(.init(.future, "It is still to come."))
      }
      var encoder = CBOREncoder()
      let state = states[Int(revision)]
      switch scope {
      case "counter": Optional(state.counter).encode(to: &encoder)
      case "todos": Optional(state.todos).encode(to: &encoder)
      default: return .failed(.init(.unavailable, "\(scope) is too large."))
      }
      return .state(encoder.bytes[...])
    case .verify: return .failed(.init(.unavailable, "No test asks for it."))
    }
  }

  private func entry(_ revision: UInt64) -> GenericValue {
    let (before, after) = (states[Int(revision) - 1], states[Int(revision)])
    var changed: [GenericValue] = []
    if before.counter != after.counter { changed.append(.text("counter")) }
    if before.todos != after.todos { changed += [.text("todos"), .text("todos/items/7")] }
    var fields: [String: GenericValue] =
      if let (scope, action) = actions[Int(revision)] {
        [
          "by": .text("client"), "session": .unsigned(3 + revision % 2),
          "sequence": .unsigned(revision), "scope": .text(scope), "action": action,
        ]
      } else {
        ["by": .text("internal")]
      }
    fields["revision"] = .unsigned(revision)
    fields["time"] = .unsigned(1_700_000_000_000 + revision * 1_370)
    fields["changed"] = .array(changed)
    fields["us"] = .unsigned(3 + revision * 7 % 5)
    return .record(fields)
  }
}

extension GenericValue {
  /// A record of fields.
  static func record(_ fields: [String: GenericValue]) -> GenericValue {
    .map(sorting: fields.map { Entry(.text($0.key), $0.value) }) ?? .null
  }
}
