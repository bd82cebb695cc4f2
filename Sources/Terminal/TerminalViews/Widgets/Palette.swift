/// A command that the user chooses by its name.
@MainActor
public struct PaletteCommand: Identifiable {
  /// The name.
  public let id: String
  let detail: String
  let run: @MainActor () -> Void

  /// Creates a command.
  ///
  /// - Parameters:
  ///   - title: The command's unique name.
  ///   - detail: A description beside the name.
  ///   - run: The command's action.
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
  private let title: String
  private let onClose: @MainActor () -> Void

  /// Creates a list.
  ///
  /// - Parameters:
  ///   - commands: The available commands.
  ///   - title: The title above the list.
  ///   - query: The typed text.
  ///   - selection: The selected command.
  ///   - onClose: Closes the palette: before a chosen command runs, and on escape.
  public init(
    _ commands: [PaletteCommand],
    title: String = "Commands",
    query: Binding<String>,
    selection: Binding<RowSelection<String>>,
    onClose: @escaping @MainActor () -> Void,
  ) {
    self.selection = selection
    self.title = title
    self.onClose = onClose
    self.commands = Self.found(query.wrappedValue, in: commands)
    self.query = Binding {
      query.wrappedValue
    } set: { text in
      query.wrappedValue = text
      // Selects the best match at the top, regardless of the earlier selection.
      selection.wrappedValue.select(0, id: Self.found(text, in: commands).first?.id)
    }
  }

  /// The field for the query, and the matching commands.
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
    .border(title)
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

  /// Returns the commands with matching names, the best first.
  private static func found(_ query: String, in commands: [PaletteCommand]) -> [PaletteCommand] {
    let ranks = commands.map { rank(of: query, in: $0.id) }
    return Rank.allCases.flatMap { rank in
      zip(commands, ranks).filter { $0.1 == rank }.map(\.0)
    }
  }

  /// The quality of a match between a name and the query, the best first.
  enum Rank: CaseIterable {
    /// The query is the name.
    case name
    /// The name begins with the query.
    case beginning
    /// A word of the name begins with the query.
    case word
    /// The name contains the query.
    case part
    /// The name contains the characters of the query in their order, with others between them.
    case characters
  }

  /// Returns the quality of a match; nil if the name does not match.
  static func rank(of query: String, in name: String) -> Rank? {
    let (query, name) = (query.lowercased(), name.lowercased())
    if query == name { return .name }
    if name.hasPrefix(query) { return .beginning }
    let places = name.ranges(of: query).map(\.lowerBound)
    if places.contains(where: { !(name[name.index(before: $0)].isLetter) }) { return .word }
    if !places.isEmpty { return .part }
    var rest = name[...]
    for character in query where character != " " {
      guard let place = rest.firstIndex(of: character) else { return nil }
      rest = rest[rest.index(after: place)...]
    }
    return .characters
  }
}
