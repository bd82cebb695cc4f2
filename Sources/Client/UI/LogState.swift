import Observation
import TerminalViews

/// The state of the log's screen.
@MainActor
@Observable
final class LogState {
  let screen: ScreenState<UInt64>
  /// The log's rows at the time of the pause; nil while it is live.
  var pausedRows: [DaemonModel.LogRow]?
  /// The changes of the selected row, while the user views them.
  private(set) var details: LogDetails? { didSet { oldValue?.stop() } }
  /// Whether the log resumes when the details are closed.
  @ObservationIgnored private var wasLive = false
  /// Whether the selection follows the newest row.
  private var followsEnd = true

  init(_ screen: ScreenState<UInt64>) { self.screen = screen }

  func rows(of log: [DaemonModel.LogRow]) -> [DaemonModel.LogRow] {
    let rows = pausedRows ?? log
    guard !screen.search.isEmpty else { return rows }
    return rows.filter { screen.finds(in: $0.who, $0.what, $0.changed) }
  }

  /// The selection; at the end, it follows new rows.
  func selection(in rows: [DaemonModel.LogRow]) -> Binding<RowSelection<UInt64>> {
    Binding { [self] in
      var selection = screen.selection
      if followsEnd, let last = rows.last { selection.select(rows.count - 1, id: last.id) }
      return selection
    } set: { [self] in
      followsEnd = $0.id == rows.last?.id
      screen.selection = $0
      if let details, rows.indices.contains($0.offset) { details.show(rows[$0.offset]) }
    }
  }

  // MARK: - Pausing

  /// Pauses the log, so that its rows keep their positions, or resumes it.
  func pause(_ daemon: DaemonModel) {
    pausedRows = pausedRows == nil ? daemon.log : nil
    details = nil
  }

  /// Shows the changes of a row, and pauses the log meanwhile.
  func open(_ row: DaemonModel.LogRow, of daemon: DaemonModel) {
    guard details == nil else { return close() }
    wasLive = pausedRows == nil
    pausedRows = pausedRows ?? daemon.log
    details = LogDetails(row, of: daemon)
  }

  /// Closes the details, and resumes the log if it was live before.
  func close() {
    details = nil
    if wasLive { pausedRows = nil }
  }
}
