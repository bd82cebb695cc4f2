import Observation
import TerminalViews

/// Whether the help for keys is shown, and its selected line.
@MainActor
@Observable
final class HelpState {
  var isShown = false { didSet { selection = RowSelection() } }
  var selection = RowSelection<Int>()

  /// The key that shows the help.
  var command: ScreenCommand { ScreenCommand(["?"], "help") { self.isShown = true } }
}

/// The help for all keys, over the screen.
struct HelpView: View {
  /// A line of the help.
  private struct Line: Identifiable {
    let id: Int
    let keys: String
    let meaning: String
  }

  private let state: HelpState
  private let lines: [Line]

  /// Creates the list of keys, the most important first.
  ///
  /// - Parameters:
  ///   - state: The selected line.
  ///   - commands: The commands of the screen.
  ///   - others: Keys of more than one command, and their meaning here.
  init(
    _ state: HelpState,
    _ commands: [ScreenCommand],
    _ others: [(keys: String, meaning: String)],
  ) {
    self.state = state
    let all = commands.map { (keys: $0.keyNames, meaning: $0.title) } + others + Self.everywhere
    lines = all.enumerated().map { Line(id: $0, keys: $1.keys, meaning: $1.meaning) }
  }

  /// The keys of lists, trees, buttons and fields.
  private static let everywhere: [(keys: String, meaning: String)] = [
    ("↑ ↓ k j", "another row"), ("pgup pgdn", "another page"),
    ("home end g G", "first, last row"), ("→ ← l h", "open, close; columns"),
    ("enter space", "press; open or close"), ("tab shift-tab", "next field, button"),
    ("esc", "close, or clear"), ("ctrl-u k w d", "delete, in a field"),
    ("ctrl-a e b f", "move, in a field"), ("ctrl-z", "stop for a while"),
    ("ctrl-l", "draw all again"),
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
    // The numbers show that the list is longer than its visible part.
    .border("Keys (\(state.selection.offset + 1) of \(lines.count)), esc closes")
    .onKeys { key in
      guard [.escape, .enter, "q", "?"].contains(key) else { return false }
      state.isShown = false
      return true
    }
  }
}
