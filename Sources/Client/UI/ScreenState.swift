import Observation
import StoreActor
import TerminalViews

/// What a screen of a feature keeps for itself: what is selected, searched and asked for.
@MainActor
@Observable
final class ScreenState<ID: Hashable> {
  var selection = RowSelection<ID>()
  var search = ""
  var prompt: Prompt?
  /// Takes what was sent, and the action's name, to tell when nothing came of it.
  @ObservationIgnored var onTask: @MainActor (StoreTask, _ name: String) -> Void = { _, _ in }

  /// How many of the actions that were sent have no outcome.
  @ObservationIgnored private var awaited = 0
  /// What waits for them.
  @ObservationIgnored private var next: [Waiting] = []

  /// Something to be done when what was sent before it is shown.
  private struct Waiting {
    /// The row that was selected, which is followed to where it is.
    var selection: RowSelection<ID>
    let follow: @MainActor (inout RowSelection<ID>) -> Void
    let body: @MainActor (RowSelection<ID>) -> Void
  }

  /// Sends an action.
  func send<State, Action>(_ action: Action, to store: Store<State, Action>) {
    let task = store.send(action)
    onTask(task, ActionText.name(of: action))
    awaited += 1
    task.whenSettled { [weak self] in self?.settled(task) }
  }

  /// Does what depends on what is shown, once that has all that was sent before.
  ///
  /// Keys come faster than answers. Where nothing came of what was sent it is left out.
  func afterSent(_ body: @escaping @MainActor () -> Void) {
    wait(Waiting(selection: selection, follow: { _ in }, body: { _ in body() }))
  }

  /// The same with the row that is selected now; where that has gone because of what was sent
  /// before, with the one that has come to its place.
  func withSelected<Rows: RandomAccessCollection>(
    in rows: @escaping @MainActor () -> Rows,
    _ body: @escaping @MainActor (Rows.Element) -> Void,
  ) where Rows.Element: Identifiable, Rows.Element.ID == ID {
    func row(_ offset: Int, of rows: Rows) -> Rows.Element {
      rows[rows.index(rows.startIndex, offsetBy: offset)]
    }
    let waiting = Waiting(selection: selection) { selection in
      let rows = rows()
      selection.follow(count: rows.count) { row($0, of: rows).id }
    } body: { selection in
      if selection.id != nil { body(row(selection.offset, of: rows())) }
    }
    wait(waiting)
  }

  private func wait(_ waiting: Waiting) {
    let isFirst = next.isEmpty
    next.append(waiting)
    if isFirst { goOn() }
  }

  private func settled(_ task: StoreTask) {
    awaited -= 1
    guard awaited == 0, !next.isEmpty else { return }
    Task {
      let isApplied = (try? await task.applied()) != nil
      if !isApplied { next = [] }
      goOn()
    }
  }

  private func goOn() {
    while awaited == 0, !next.isEmpty {
      for place in next.indices {
        var selection = next[place].selection
        next[place].follow(&selection)
        next[place].selection = selection
      }
      let first = next.removeFirst()
      first.body(first.selection)
    }
  }

  /// Asks for a text.
  func ask(_ title: String, _ text: String = "", then take: @escaping @MainActor (String) -> Void) {
    prompt = Prompt(title: title, text: text) { [weak self] in
      self?.prompt = nil
      if let text = $0 { take(text) }
    }
  }

  /// Asks whether something is to be done.
  func confirm(_ question: String, then body: @escaping @MainActor () -> Void) {
    prompt = Prompt(title: question, isQuestion: true) { [weak self] in
      self?.prompt = nil
      if $0 != nil { body() }
    }
  }

  /// Asks for what is to be searched; it is searched while it is typed.
  func askForSearch() {
    let before = search
    let prompt = Prompt(title: "Search", text: search) { [weak self] in
      self?.prompt = nil
      if $0 == nil { self?.search = before }
    }
    prompt.onChange = { [weak self] in self?.search = $0 }
    self.prompt = prompt
  }

  /// The keys that ask for what is searched, and end that.
  func filterCommands(_ title: String = "filter") -> [ScreenCommand] {
    let ask = ScreenCommand(["/"], title) { self.askForSearch() }
    guard !search.isEmpty else { return [ask] }
    return [ask, ScreenCommand([.escape], "end the \(title)") { self.search = "" }]
  }

  /// Whether what is searched stands in one of several texts.
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

/// What is searched, where something is.
struct SearchText: View {
  let search: String

  var body: some View {
    if !search.isEmpty { Text("Search: \(search)", Style(.yellow)) }
  }
}
