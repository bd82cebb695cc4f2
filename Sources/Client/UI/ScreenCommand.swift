import TerminalViews

/// Something that keys of a screen are for.
///
/// A screen takes its keys by a list of these, and all that is said of them is made of the same
/// list: the line at the bottom, the help and the commands.
@MainActor
struct ScreenCommand {
  /// The keys, of which the line at the bottom tells the first one.
  let keys: [Key]
  let title: String
  /// Whether it is among the commands: not where it only leads to them.
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
  /// The keys that clear a message, where there is one.
  var messageCommands: [ScreenCommand] {
    guard message != nil else { return [] }
    return [ScreenCommand([.escape], "clear the message") { self.message = nil }]
  }
}

extension View {
  /// The view, with its keys.
  func onKeys(_ commands: [ScreenCommand]) -> some View {
    onKeys { key in
      guard let command = commands.first(where: { $0.keys.contains(key) }) else { return false }
      command.run()
      return true
    }
  }
}

extension Key {
  /// What people call it.
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
