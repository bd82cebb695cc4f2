import Observation
import StoreState
import TerminalViews

/// The local state of the state screen.
@MainActor
@Observable
final class StateScreenState {
  /// The prompt and the search text.
  let screen: ScreenState<Int>
  var scope: WatchedScope? {
    didSet {
      expansion = OutlineExpansion()
      selection = RowSelection()
      opened = []
      past = nil
      leaf = nil
      // Its results belong to the previous scope.
      filter = StateFilter()
    }
  }
  /// The scope's past, while it is shown.
  var past: PastScope? { didSet { if oldValue !== past { oldValue?.end() } } }
  /// The value that is shown in full.
  var leaf: LeafText?
  // Keys change these, and already cause a drawing; the drawing itself changes them, too.
  @ObservationIgnored var expansion = OutlineExpansion<StateNode.Key>()
  @ObservationIgnored var selection = RowSelection<[StateNode.Key]>()
  /// Whether records are initially expanded, and lists show their rows.
  @ObservationIgnored var opensRecords = false
  /// The paths that were expanded automatically; the user may have collapsed them since.
  @ObservationIgnored private var opened: Set<[StateNode.Key]> = []
  @ObservationIgnored private(set) var filter = StateFilter()

  private static let mostDepth = 6

  init(_ screen: ScreenState<Int>) { self.screen = screen }

  /// Expands the nodes that were not shown before and are initially expanded.
  func open(_ node: FilteredNode, at path: [StateNode.Key] = []) {
    guard opensRecords, path.count < Self.mostDepth, node.partCount > 0 else { return }
    if !path.isEmpty, opened.insert(path).inserted { expansion.set(path, true) }
    guard node.node.isRecord else { return }
    for offset in 0..<node.partCount {
      open(node.part(at: offset), at: path + [node.key(at: offset)])
    }
  }
}

/// The state of any scope as a tree, which marks the latest changes, at present or in the past.
struct StateScreen: View {
  let daemon: DaemonModel
  let state: StateScreenState
  let onSend: @MainActor (WatchedScope) -> Void

  var commands: [ScreenCommand] {
    guard let scope = state.scope else { return [] }
    let goTo = ScreenCommand(["@"], "go to a revision") { askForRevision(scope) }
    let filter = state.screen.filterCommands()
    guard let past = state.past else { return liveCommands(scope) + filter + [goTo] }
    let send = ScreenCommand(["s"], "send, when live", isListed: false) {
      tell("This is the past, which accepts no actions: L leads back.")
    }
    return pastCommands(past, scope) + [goTo] + filter + [send]
  }

  private func liveCommands(_ scope: WatchedScope) -> [ScreenCommand] {
    [
      ScreenCommand(["s"], "send", isListed: false) { onSend(scope) },
      ScreenCommand([",", "<"], "the past") {
        go(to: scope.revision - min(scope.revision, 1), scope)
      },
    ]
  }

  private func pastCommands(_ past: PastScope, _ scope: WatchedScope) -> [ScreenCommand] {
    // A daemon's newest revision may be any number, so sums are clamped.
    func forward(_ count: UInt64) { go(to: past.wanted + min(count, .max - past.wanted), scope) }
    func back(_ count: UInt64) { go(to: past.wanted - min(past.wanted, count), scope) }
    return [
      ScreenCommand([","], "back") { back(1) },
      ScreenCommand(["."], "forward") { forward(1) },
      // A filter is ended first.
      ScreenCommand(state.screen.search.isEmpty ? ["L", .escape] : ["L"], "live") {
        state.past = nil
        daemon.leaveScreen()
      },
      ScreenCommand(["<"], "page back") { back(past.page) },
      ScreenCommand([">"], "page forward") { forward(past.page) },
    ]
  }

  private func askForRevision(_ scope: WatchedScope) {
    daemon.leaveScreen()
    state.screen.ask("Revision") { go(to: $0, scope) }
  }

  var body: some View {
    if let scope = state.scope {
      ScopeTree(scope: scope, state: state).onKeys(commands)
    } else {
      Text("Choose a scope: press o, or enter among the scopes.", Style(.secondary)).filling()
    }
  }

  /// Reports a failure for as long as this screen is shown.
  private func tell(_ failure: String) { daemon.say(failure, isFailure: true, isOfScreen: true) }

  /// Shows the revision that was typed, or reports why it cannot be shown.
  private func go(to text: String, _ scope: WatchedScope) {
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard !text.isEmpty else { return }
    let (oldest, newest) = (state.past?.oldest ?? 0, newest(of: scope))
    guard let revision = UInt64(text) else {
      return tell("\"\(text)\" is no revision. Type a number from \(oldest) to \(newest).")
    }
    guard revision <= newest else {
      return tell("Revision \(revision) is still to come: the newest one is \(newest).")
    }
    guard revision >= oldest else {
      return tell(PastScope.absence(of: revision, oldest))
    }
    go(to: revision, scope)
  }

  private func newest(of scope: WatchedScope) -> UInt64 {
    max(scope.revision, daemon.status?.revision ?? 0)
  }

  /// Shows the scope at a revision; if that is not in the past, shows the present.
  private func go(to revision: UInt64, _ scope: WatchedScope) {
    daemon.message = nil
    if let past = state.past {
      if !past.go(to: revision) { state.past = nil }
    } else if revision < newest(of: scope) {
      state.past = PastScope(scope, of: daemon, at: revision) { [weak state, weak daemon] in
        state?.past = nil
        daemon?.say($0, isFailure: true, isOfScreen: true)
      }
    }
  }
}

/// A scope's name, and its state as a tree.
struct ScopeTree: View {
  let scope: WatchedScope
  let state: StateScreenState

  var body: some View {
    VStack {
      HStack {
        Text(scope.name, Style(.cyan, isBold: true))
        if let past = state.past, past.moment != nil {
          PastTitle(past: past)
        } else {
          Text("revision \(scope.revision)", Style(.secondary))
        }
        if let past = state.past { PastQuestion(past: past) }
        SearchText(search: state.screen.search)
      }
      // Until the first answer arrives, the tree shows the present.
      if let past = state.past, past.moment != nil { PastBar(past: past) }
      if let moment = state.past?.moment {
        tree(.past(revision: moment.revision)) { moment.root }
      } else if scope.root != nil {
        tree(.live(news: scope.news)) { scope.shownRoot }
      } else {
        Paragraph(scope.absence, Style(.secondary)).filling()
      }
    }
    .overlay { state.leaf.map { leaf in LeafView(leaf: leaf) { state.leaf = nil } } }
  }

  /// The titles along a path, as one line.
  private func title(_ path: [StateNode.Key], _ root: FilteredNode) -> String {
    var (node, names) = (root, [String]())
    for key in path {
      guard let offset = node.offset(of: key) else { break }
      node = node.part(at: offset)
      names.append(node.node.title)
    }
    return names.joined(separator: " › ")
  }

  private func tree(
    _ version: StateFilter.Version,
    _ root: @escaping @MainActor () -> StateNode,
  ) -> some View {
    let filtered = { @MainActor in
      state.filter.root(root(), for: state.screen.search, version: version)
    }
    state.open(filtered())
    return Outline(
      filtered(),
      expansion: Binding {
        state.expansion
      } set: {
        state.expansion = $0
      },
      selection: Binding {
        state.selection
      } set: {
        state.selection = $0
      },
      onSubmit: { state.leaf = LeafText($0.node.fullText, title: title($1, filtered())) },
      row: { node, path in
        StateRow(scope: scope, past: state.past?.moment, node: node.node, path: path)
      },
    )
  }
}

/// A notice that the past is shown, with its revision.
private struct PastTitle: View {
  let past: PastScope

  var body: some View {
    HStack {
      Text(
        " THE PAST: revision \(past.moment?.revision ?? past.wanted) ",
        Style(.yellow, isBold: true, isReversed: true),
      )
      Text("of \(past.oldest) … \(past.newest)", Style(.secondary))
    }
  }
}

/// The requested revision, while a request is pending.
private struct PastQuestion: View {
  let past: PastScope

  var body: some View {
    if past.reading != nil { Text("asking for \(past.wanted) …", Style(.secondary)) }
  }
}

/// A slider for the position in the past, and the changes of the revision.
private struct PastBar: View {
  let past: PastScope

  var body: some View {
    let (oldest, newest) = (min(past.oldest, past.newest), past.newest)
    VStack {
      Slider(past.wanted, in: oldest...newest) {
        _ = past.go(to: min($0, newest - min(newest, 1)))
      }
      if let failure = past.failure {
        Text(failure, Style(.red))
      } else if let moment = past.moment {
        Text(changes(of: moment), Style(.yellow))
      }
    }
  }

  private func changes(of moment: PastMoment) -> String {
    if moment.isAbsent { return "The scope was absent." }
    guard let changes = moment.changes else {
      return moment.revision == 0 ? "The beginning." : "The state before it is not kept."
    }
    guard let first = changes.list.first else { return "No change here." }
    let others = changes.list.count - 1
    let count = others == 0 ? "" : "  and \(others)\(changes.hasMore ? " or" : "") more"
    return "Changed: \(first.names.joined(separator: ".")): \(first.text)\(count)"
  }
}

/// The line of a part of a state.
private struct StateRow: View {
  let scope: WatchedScope
  let past: PastMoment?
  let node: StateNode
  let path: [StateNode.Key]

  var body: some View {
    let (title, text) = (node.title, node.summary)
    let isNews =
      past.map { $0.changes?.places.contains(path) == true }
      ?? scope.note(path, "\(title) \(text)")
    HStack {
      Text("\(title):", Style(.cyan))
      Text(text, isNews ? Style(.yellow, isBold: true) : .plain)
      if let id = node.shortID { Text(id, Style(.secondary)) }
    }
  }
}
