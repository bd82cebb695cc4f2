import Observation
import StoreActor
import TerminalViews

/// The local state of a feature's screen: its selection, search and prompt.
@MainActor
@Observable
final class ScreenState<ID: Hashable> {
  var selection = RowSelection<ID>()
  var search = ""
  var prompt: Prompt?
  /// Receives the task and the name of each action that was sent, to report a failure.
  @ObservationIgnored var onTask: @MainActor (StoreTask, _ name: String) -> Void = { _, _ in }

  /// Reports that a key had no effect, since its row was removed.
  @ObservationIgnored var onMissing: @MainActor () -> Void = {}
  /// The hidden rows: an action that removes them was sent.
  private(set) var leaving: Set<ID> = []

  /// The number of sent actions without an outcome.
  @ObservationIgnored private var awaited = 0
  /// The closures that wait for these outcomes.
  @ObservationIgnored private var next: [@MainActor () -> Void] = []

  /// Sends an action.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - store: The store that receives it.
  ///   - row: The row that the action removes. It is hidden until the outcome arrives, so that the
  ///     next key applies to the following row.
  func send<State, Action>(
    _ action: Action,
    to store: Store<State, Action>,
    leaving row: ID? = nil,
  ) {
    if let row { leaving.insert(row) }
    let task = store.send(action)
    onTask(task, ActionText.name(of: action))
    awaited += 1
    task.whenSettled { [weak self] in self?.settled(task, row) }
  }

  /// Runs a closure once the displayed state includes all actions that were sent before.
  ///
  /// Keys arrive faster than outcomes. If an action fails, the waiting closures are dropped.
  func afterSent(_ body: @escaping @MainActor () -> Void) {
    let isFirst = next.isEmpty
    next.append(body)
    if isFirst { goOn() }
  }

  /// Calls a closure with the selected row; reports a missing row if another client removed it.
  func withSelected<Rows: RandomAccessCollection>(
    in rows: Rows,
    _ body: (Rows.Element) -> Void,
  ) where Rows.Element: Identifiable, Rows.Element.ID == ID {
    guard let id = selection.id else { return }
    if let row = rows.first(where: { $0.id == id }) { body(row) } else { tellMissing() }
  }

  /// Reports that the row of a key was removed.
  func tellMissing() {
    selection.release()
    onMissing()
  }

  private func settled(_ task: StoreTask, _ row: ID?) {
    awaited -= 1
    guard row != nil || awaited == 0 && !next.isEmpty else { return }
    Task {
      let isApplied = (try? await task.applied()) != nil
      if let row { leaving.remove(row) }
      if !isApplied { next = [] }
      goOn()
    }
  }

  private func goOn() {
    while awaited == 0, !next.isEmpty { next.removeFirst()() }
  }

  /// Prompts for a text.
  func ask(_ title: String, _ text: String = "", then take: @escaping @MainActor (String) -> Void) {
    prompt = Prompt(title: title, text: text) { [weak self] in
      self?.prompt = nil
      if let text = $0 { take(text) }
    }
  }

  /// Prompts for confirmation.
  func confirm(_ question: String, then body: @escaping @MainActor () -> Void) {
    prompt = Prompt(title: question, isQuestion: true) { [weak self] in
      self?.prompt = nil
      if $0 != nil { body() }
    }
  }

  /// Prompts for the text of the search; the search runs while it is typed.
  func askForSearch() {
    let before = search
    let prompt = Prompt(title: "Search", text: search) { [weak self] in
      self?.prompt = nil
      if $0 == nil { self?.search = before }
    }
    prompt.onChange = { [weak self] in self?.search = $0 }
    self.prompt = prompt
  }

  /// The keys that begin and end a search.
  func filterCommands(_ title: String = "filter") -> [ScreenCommand] {
    let ask = ScreenCommand(["/"], title) { self.askForSearch() }
    guard !search.isEmpty else { return [ask] }
    return [ask, ScreenCommand([.escape], "end the \(title)") { self.search = "" }]
  }

  /// Whether one of several texts contains the search text.
  func finds(in texts: String...) -> Bool {
    let search = TextSearch(search)
    return texts.contains { search.isFound(in: $0) }
  }

  var selectionBinding: Binding<RowSelection<ID>> {
    Binding {
      self.selection
    } set: {
      self.selection = $0
    }
  }
}

/// The search text, if there is one.
struct SearchText: View {
  let search: String

  var body: some View {
    if !search.isEmpty { Text("Search: \(search)", Style(.yellow)) }
  }
}
