import Observation
import StoreReplication
import StoreState
import TerminalViews

/// What the state's screen keeps for itself.
@MainActor
@Observable
final class StateScreenState {
  var scope: WatchedScope? {
    didSet {
      expansion = OutlineExpansion()
      selection = RowSelection()
      opened = []
    }
  }
  // Changed by what is typed, which draws anew, and by the drawing itself.
  @ObservationIgnored var expansion = OutlineExpansion<StateNode.Key>()
  @ObservationIgnored var selection = RowSelection<[StateNode.Key]>()
  /// Whether records are open from the beginning, and of lists the rows are to be seen.
  @ObservationIgnored var opensRecords = false
  /// What was opened, and may have been closed since.
  @ObservationIgnored private var opened: Set<[StateNode.Key]> = []

  private static let mostDepth = 6

  /// Opens what is to be open and was not to be seen before.
  func open(_ node: StateNode, at path: [StateNode.Key] = []) {
    guard opensRecords, path.count < Self.mostDepth, node.partCount > 0 else { return }
    if !path.isEmpty, opened.insert(path).inserted { expansion.set(path, true) }
    guard node.isRecord else { return }
    for offset in 0..<node.partCount {
      open(node.part(at: offset), at: path + [node.key(at: offset)])
    }
  }
}

/// The state of any scope of any daemon as a tree, with what changed last.
struct StateScreen: View {
  let state: StateScreenState
  let onSend: @MainActor (WatchedScope) -> Void

  static let hints = [
    HelpBar.Hint("→ ←", "open, close"), HelpBar.Hint("s", "send"),
    HelpBar.Hint("o", "other scope"),
  ]

  var body: some View {
    if let scope = state.scope {
      ScopeTree(scope: scope, state: state).onKey("s") { onSend(scope) }
    } else {
      Text("Choose a scope: press o, or enter among the scopes.", Style(.secondary)).filling()
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
        Text("revision \(scope.revision)", Style(.secondary))
      }
      if let root = scope.root {
        tree(root)
      } else {
        Paragraph(scope.absence, Style(.secondary)).filling()
      }
    }
  }

  private func tree(_ root: StateNode) -> some View {
    state.open(root)
    return Outline(
      scope.shownRoot,
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
    ) { node, path in
      StateRow(scope: scope, node: node, path: path)
    }
  }
}

/// A part of a state, on its line.
private struct StateRow: View {
  let scope: WatchedScope
  let node: StateNode
  let path: [StateNode.Key]

  var body: some View {
    let text = node.summary
    let isNews = scope.note(path, text)
    HStack {
      Text("\(node.label):", Style(.cyan))
      Text(text, isNews ? Style(.yellow, isBold: true) : .plain)
    }
  }
}
