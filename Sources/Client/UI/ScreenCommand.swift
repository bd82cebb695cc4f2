import TerminalViews

/// A command of a screen, with its keys.
///
/// A screen handles its keys by a list of these. The line at the bottom, the help and the command
/// palette are derived from the same list.
@MainActor
struct ScreenCommand {
  /// The keys; the line at the bottom shows the first one.
  let keys: [Key]
  let title: String
  /// Whether the palette lists it; not if the command only opens the palette.
  let isListed: Bool
  let run: @MainActor () -> Void

  init(
    _ keys: [Key],
    _ title: String,
    isListed: Bool = true,
    run: @escaping @MainActor () -> Void,
  ) {
    self.keys = keys
    self.title = title
    self.isListed = isListed
    self.run = run
  }

  var hint: HelpBar.Hint { HelpBar.Hint(keys.first?.name ?? "", title) }
  var keyNames: String { keys.map(\.name).joined(separator: " ") }
}

extension DaemonModel {
  /// The key that clears a message, if there is one.
  var messageCommands: [ScreenCommand] {
    guard message != nil else { return [] }
    return [ScreenCommand([.escape], "clear the message") { self.message = nil }]
  }
}

extension View {
  /// Returns the view with a handler for the commands' keys.
  func onKeys(_ commands: [ScreenCommand]) -> some View {
    onKeys { key in
      guard let command = commands.first(where: { $0.keys.contains(key) }) else { return false }
      command.run()
      return true
    }
  }
}

extension Key {
  /// The key's name for people.
  var name: String {
    switch self {
    case .character(" "): "space"
    case .character(let character): String(character)
    case .control(let letter): "ctrl-\(letter)"
    case .enter: "enter"
    case .escape: "esc"
    case .tab: "tab"
    case .backTab: "shift-tab"
    case .backspace: "backspace"
    case .delete: "del"
    case .up: "↑"
    case .down: "↓"
    case .left: "←"
    case .right: "→"
    case .home: "home"
    case .end: "end"
    case .pageUp: "pgup"
    case .pageDown: "pgdn"
    }
  }
}
