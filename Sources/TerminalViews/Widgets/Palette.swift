/// Something that can be done by its name.
@MainActor
public struct PaletteCommand: Identifiable {
  /// The name.
  public let id: String
  let detail: String
  let run: @MainActor () -> Void

  /// Creates a command.
  ///
  /// - Parameters:
  ///   - title: Its name, of which there is one.
  ///   - detail: What more there is to say.
  ///   - run: Does it.
  public init(_ title: String, detail: String = "", run: @escaping @MainActor () -> Void) {
    id = title
    self.detail = detail
    self.run = run
  }
}

/// A list of commands to choose from by typing a part of their names.
public struct Palette: View {
  private let query: Binding<String>
  private let selection: Binding<RowSelection<String>>
  private let commands: [PaletteCommand]
  private let onClose: @MainActor () -> Void

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - commands: What there is to choose from.
  ///   - query: What was typed.
  ///   - selection: What is selected.
  ///   - onClose: What is done when one was chosen, before it is run, and on escape.
  public init(
    _ commands: [PaletteCommand],
    query: Binding<String>,
    selection: Binding<RowSelection<String>>,
    onClose: @escaping @MainActor () -> Void,
  ) {
    self.query = query
    self.selection = selection
    self.onClose = onClose
    self.commands = commands.filter { Self.fits(query.wrappedValue, $0.id) }
  }

  /// What is typed and what fits it.
  public var body: some View {
    VStack {
      TextField("Find", text: query, onSubmit: choose)
      RowList(commands, id: \.id, selection: selection) { command in
        HStack(spacing: 2) {
          Text(command.id)
          Text(command.detail, Style(.secondary))
        }
      }
      .frame(width: 56, height: 10)
    }
    .border("Commands")
    .onKeys { key in
      switch key {
      case .escape: onClose()
      case .up, .control("p"): move(-1)
      case .down, .control("n"): move(1)
      default: return false
      }
      return true
    }
  }

  private func choose() {
    guard let command = commands.first(where: { $0.id == selection.wrappedValue.id }) else {
      return
    }
    onClose()
    command.run()
  }

  private func move(_ distance: Int) {
    let offset = max(0, min(commands.count - 1, selection.wrappedValue.offset + distance))
    if commands.indices.contains(offset) {
      selection.wrappedValue.select(offset, id: commands[offset].id)
    }
  }

  /// Whether the characters stand in a name in their order, whatever is between them.
  static func fits(_ query: String, _ name: String) -> Bool {
    var rest = name.lowercased()[...]
    for character in query.lowercased() where character != " " {
      guard let place = rest.firstIndex(of: character) else { return false }
      rest = rest[rest.index(after: place)...]
    }
    return true
  }
}
