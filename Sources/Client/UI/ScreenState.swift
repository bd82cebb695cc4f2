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

  /// Tells that a key had no effect, since its row has gone.
  @ObservationIgnored var onMissing: @MainActor () -> Void = {}
  /// The rows that are not shown any more, since an action that takes them away was sent.
  private(set) var leaving: Set<ID> = []

  /// How many of the actions that were sent have no outcome.
  @ObservationIgnored private var awaited = 0
  /// What waits for them.
  @ObservationIgnored private var next: [@MainActor () -> Void] = []

  /// Sends an action.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - store: Where to.
  ///   - row: The row that the action takes away from those that are shown; it is not shown until
  ///     there is an outcome, so that the next key is for the row behind it.
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

  /// Does what depends on what is shown, once that has all that was sent before.
  ///
  /// Keys come faster than answers. Where nothing came of what was sent it is left out.
  func afterSent(_ body: @escaping @MainActor () -> Void) {
    let isFirst = next.isEmpty
    next.append(body)
    if isFirst { goOn() }
  }

  /// Does something with the row that is selected; nothing where others have removed that.
  func withSelected<Rows: RandomAccessCollection>(
    in rows: Rows,
    _ body: (Rows.Element) -> Void,
  ) where Rows.Element: Identifiable, Rows.Element.ID == ID {
    guard let id = selection.id else { return }
    if let row = rows.first(where: { $0.id == id }) { body(row) } else { tellMissing() }
  }

  /// Tells that the row that a key was for has gone.
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
