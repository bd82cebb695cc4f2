import Observation
import StoreProtocol
import StoreReplica
import TerminalViews

/// A choice among the rows that have their own scope.
@MainActor
@Observable
final class RowChoice {
  let description: ScopeDescription
  var query = ""
  var selection = RowSelection<String>()
  /// The ids that are known so far.
  private(set) var ids: [String] = []
  /// The rows' titles, by their ids.
  @ObservationIgnored private let titles: [String: String]
  @ObservationIgnored private let client: ReplicaClient

  /// The most rows that are listed; the user can type the ids of others.
  private static let mostRows = 500
  private static let mostQuestions = 16

  init(_ description: ScopeDescription, titles: [String: String], of client: ReplicaClient) {
    self.description = description
    self.titles = titles
    self.client = client
    ask(from: 0, questions: 0)
  }

  /// Queries the rows; a daemon examines a part of them for each query.
  private func ask(from start: UInt64, questions: Int) {
    let query = RowQuery(scope: description.name, prefix: "", start: start)
    client.rows(query) { [weak self] result in
      // Without an answer an id can be typed.
      guard let self, case .success(let answer) = result else { return }
      ids += answer.ids.prefix(Self.mostRows - ids.count)
      guard let next = answer.next, next > start, ids.count < Self.mostRows,
        questions < Self.mostQuestions
      else { return }
      ask(from: next, questions: questions + 1)
    }
  }

  /// The choices: the rows, and an id that is typed.
  func commands(_ open: @escaping @MainActor (_ scope: String) -> Void) -> [PaletteCommand] {
    let rows = ids.map { id in
      let title = titles[id].map { "\($0)  \(id)" } ?? id
      return PaletteCommand(title) { open("\(self.description.name)/\(id)") }
    }
    let typed = query.trimmingPrefix { $0 == " " }
    guard !typed.isEmpty, !ids.contains(String(typed)) else { return rows }
    let scope = "\(description.name)/\(typed)"
    return rows + [PaletteCommand(scope, detail: "as typed") { open(scope) }]
  }
}
