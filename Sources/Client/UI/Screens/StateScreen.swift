import Observation
import StoreReplication
import StoreState
import TerminalViews

/// What the state's screen keeps for itself.
@MainActor
@Observable
final class StateScreenState {
  var scope: FollowedScope? {
    didSet {
      expansion = OutlineExpansion()
      selection = RowSelection()
    }
  }
  var expansion = OutlineExpansion<StateNode.Key>()
  var selection = RowSelection<[StateNode.Key]>()
}

/// The state of any scope of any daemon as a tree, with what changed last.
struct StateScreen: View {
  let state: StateScreenState
  let onSend: @MainActor (FollowedScope) -> Void

  static let hints = [
    HelpBar.Hint("→ ←", "open, close"), HelpBar.Hint("s", "send"),
    HelpBar.Hint("o", "other scope"),
  ]

  var body: some View {
    if let scope = state.scope {
      VStack {
        HStack {
          Text(scope.name, Style(.cyan, isBold: true))
          Text("revision \(scope.revision)", Style(.secondary))
        }
        tree(scope)
      }
      .onKey("s") { onSend(scope) }
    } else {
      Text("Choose a scope: press o, or enter among the scopes.", Style(.secondary)).filling()
    }
  }

  @ViewBuilder private func tree(_ scope: FollowedScope) -> some View {
    if let root = scope.root {
      Outline(
        root,
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
    } else {
      Paragraph(scope.absence, Style(.secondary)).filling()
    }
  }
}

/// A part of a state, on its line.
private struct StateRow: View {
  let scope: FollowedScope
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
