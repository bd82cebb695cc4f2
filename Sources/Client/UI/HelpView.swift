import Observation
import TerminalViews

/// Whether what keys are for is shown, and which line of it.
@MainActor
@Observable
final class HelpState {
  var isShown = false { didSet { selection = RowSelection() } }
  var selection = RowSelection<Int>()

  /// The key that shows it.
  var command: ScreenCommand { ScreenCommand(["?"], "help") { self.isShown = true } }
}

/// What all keys are for, over everything else.
struct HelpView: View {
  /// What keys are for, on a line.
  private struct Line: Identifiable {
    let id: Int
    let keys: String
    let meaning: String
  }

  private let state: HelpState
  private let lines: [Line]

  /// Lists keys, the most important first.
  ///
  /// - Parameters:
  ///   - state: Which line is to be seen.
  ///   - commands: What they are for here.
  ///   - others: Keys of more than one command, and what they are for here.
  init(
    _ state: HelpState,
    _ commands: [ScreenCommand],
    _ others: [(keys: String, meaning: String)],
  ) {
    self.state = state
    let all = commands.map { (keys: $0.keyNames, meaning: $0.title) } + others + Self.everywhere
    lines = all.enumerated().map { Line(id: $0, keys: $1.keys, meaning: $1.meaning) }
  }

  /// What keys of lists, trees, buttons and fields are for.
  private static let everywhere: [(keys: String, meaning: String)] = [
    ("↑ ↓ k j", "another row"), ("pgup pgdn", "another page"),
    ("home end g G", "first, last row"), ("→ ← l h", "open, close; columns"),
    ("enter space", "press; open or close"), ("tab shift-tab", "next field, button"),
    ("esc", "close, or clear"), ("ctrl-u k w d", "delete, in a field"),
    ("ctrl-a e b f", "move, in a field"), ("ctrl-z", "stop for a while"),
    ("ctrl-l", "draw all anew"),
  ]

  var body: some View {
    RowList(
      lines,
      id: \.id,
      selection: Binding {
        state.selection
      } set: {
        state.selection = $0
      },
    ) { line in
      HStack {
        Text(line.keys, Style(.cyan)).frame(width: 14)
        Text(line.meaning)
      }
    }
    .frame(width: 40, height: lines.count)
    // The number tells that there is more where not all is to be seen.
    .border("Keys (\(state.selection.offset + 1) of \(lines.count)), esc closes")
    .onKeys { key in
      guard [.escape, .enter, "q", "?"].contains(key) else { return false }
      state.isShown = false
      return true
    }
  }
}
