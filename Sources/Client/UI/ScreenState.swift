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

  /// Sends an action.
  func send<State, Action>(_ action: Action, to store: Store<State, Action>) {
    onTask(store.send(action), ActionText.name(of: action))
  }

  /// Asks for a text.
  func ask(_ title: String, _ text: String = "", then take: @escaping @MainActor (String) -> Void) {
    prompt = Prompt(title: title, text: text) { [weak self] in
      self?.prompt = nil
      if let text = $0 { take(text) }
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
