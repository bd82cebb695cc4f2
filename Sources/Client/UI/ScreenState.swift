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
  @ObservationIgnored private var next: [@MainActor () -> Void] = []

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
    if awaited == 0, next.isEmpty { body() } else { next.append(body) }
  }

  private func settled(_ task: StoreTask) {
    awaited -= 1
    guard awaited == 0, !next.isEmpty else { return }
    Task {
      let isApplied = (try? await task.applied()) != nil
      if !isApplied { next = [] }
      while awaited == 0, !next.isEmpty { next.removeFirst()() }
    }
  }

  /// The selected one of some rows, as they are now: where the one that was selected has gone, that
  /// which has come to its place.
  func selected<Rows: RandomAccessCollection>(in rows: Rows) -> Rows.Element?
  where Rows.Element: Identifiable, Rows.Element.ID == ID {
    func row(_ offset: Int) -> Rows.Element {
      rows[rows.index(rows.startIndex, offsetBy: offset)]
    }
    selection.follow(count: rows.count) { row($0).id }
    return rows.isEmpty ? nil : row(selection.offset)
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
