import Observation
import StoreProtocol
import TerminalViews

/// The changes that one revision made in its scopes.
@MainActor
@Observable
final class LogDetails {
  /// A line about a scope.
  struct Line: Identifiable {
    let id: Int
    let text: String
    let style: Style
  }

  /// The most scopes whose changes are shown; the log names more.
  private static let mostScopes = 8

  /// The row that is selected.
  private(set) var row: DaemonModel.LogRow
  private(set) var lines: [Line] = []
  var selection = RowSelection<Int>()
  /// The task that reads the changes of the row's revision; nil while these are shown.
  private(set) var reading: Task<Void, Never>?
  @ObservationIgnored private let daemon: DaemonModel
  /// The revision whose lines are shown.
  @ObservationIgnored private var shown: UInt64?
  @ObservationIgnored private var states: [String: PastStates] = [:]

  init(_ row: DaemonModel.LogRow, of daemon: DaemonModel) {
    self.row = row
    self.daemon = daemon
    read()
  }

  isolated deinit { stop() }

  /// Cancels further queries.
  func stop() { reading?.cancel() }

  /// Shows another revision; of several consecutive requests, only the last one is read.
  func show(_ row: DaemonModel.LogRow) {
    guard row.id != self.row.id else { return }
    self.row = row
    if reading == nil { read() }
  }

  private func read() {
    reading = Task { [weak self] in
      while let self, !Task.isCancelled, shown != row.id {
        let row = row
        let lines = await lines(of: row)
        // If the user selected another row meanwhile, these lines are dropped.
        if self.row.id == row.id {
          (shown, self.lines, selection) = (row.id, lines, RowSelection())
        }
      }
      self?.reading = nil
    }
  }

  private func lines(of row: DaemonModel.LogRow) async -> [Line] {
    var lines: [Line] = []
    func add(_ text: String, _ style: Style = .plain) {
      lines.append(Line(id: lines.count, text: text, style: style))
    }
    for note in row.notes { add(note, Style(.secondary)) }
    guard let scopes = row.scopes else {
      add("Its changes are not kept any more.", Style(.secondary))
      return lines
    }
    for name in scopes.prefix(Self.mostScopes) where self.row.id == row.id && !Task.isCancelled {
      guard let found = daemon.scopes.find(name) else {
        add(name, Style(.cyan))
        continue
      }
      let states = states[name] ?? PastStates(name, found.description, of: daemon)
      self.states = self.states.filter { scopes.contains($0.key) }
      self.states[name] = states
      do throws(HistoryError) {
        let changes = try await states.moment(at: row.id).changes
        for change in changes?.list ?? [] {
          add("\(([name] + change.names).joined(separator: ".")): \(change.text)")
        }
        if changes == nil { add("\(name): the state before it is not kept.", Style(.secondary)) }
        if changes?.hasMore == true { add("\(name): and more.", Style(.secondary)) }
      } catch {
        add("\(name): \(error.message)", Style(.red))
      }
    }
    if lines.count == row.notes.count { add("It changed no exposed state.", Style(.secondary)) }
    if scopes.count > Self.mostScopes {
      let others = Counted.text(scopes.count - Self.mostScopes, "other scope")
      add("and \(others).", Style(.secondary))
    }
    return lines
  }
}

/// The changes of one revision, below the log, which keeps a third of the height.
struct LogDetailsView: PrimitiveView {
  let details: LogDetails

  /// The rows that are not lines: two of the border, and the title.
  private static let otherRows = 3
  private static let leastRows = 10

  func size(in proposal: Size) -> Size {
    let most = max(Self.leastRows, proposal.height * 2 / 3)
    let wanted = max(Self.leastRows, details.lines.count + Self.otherRows)
    return Size(width: proposal.width, height: min(wanted, most, proposal.height))
  }

  func draw(in canvas: Canvas) {
    let hasMore = details.lines.count > canvas.size.height - Self.otherRows
    VStack {
      HStack {
        Text("revision \(details.row.id)", Style(.cyan, isBold: true))
        if hasMore {
          let (place, count) = (details.selection.offset + 1, details.lines.count)
          Text("line \(place) of \(count), tab leads there", Style(.secondary))
        }
        Text(details.row.what)
        if details.reading != nil { Text("asking …", Style(.secondary)) }
      }
      RowList(
        details.lines,
        id: \.id,
        selection: Binding {
          details.selection
        } set: {
          details.selection = $0
        },
      ) { line in
        Text(line.text, line.style)
      }
    }
    .border()
    .drawn(in: canvas)
  }
}
