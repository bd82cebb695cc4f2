import Observation
import TerminalViews

/// The state of the log's screen.
@MainActor
@Observable
final class LogState {
  let screen: ScreenState<UInt64>
  /// What the log had when it was paused; nil while it is live.
  var pausedRows: [DaemonModel.LogRow]?
  /// What the selected row has changed, where somebody wants to know.
  private(set) var details: LogDetails? { didSet { oldValue?.stop() } }
  /// Whether the log is to go on when nobody wants to know any more.
  @ObservationIgnored private var wasLive = false
  /// Whether the newest row is selected, whichever that is.
  private var followsEnd = true

  init(_ screen: ScreenState<UInt64>) { self.screen = screen }

  func rows(of log: [DaemonModel.LogRow]) -> [DaemonModel.LogRow] {
    let rows = pausedRows ?? log
    guard !screen.search.isEmpty else { return rows }
    return rows.filter { screen.finds(in: $0.who, $0.what, $0.changed) }
  }

  /// The selection, which stays at the end while it is there.
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

  /// Stops, so that what is looked at stays where it is, or goes on.
  func pause(_ daemon: DaemonModel) {
    pausedRows = pausedRows == nil ? daemon.log : nil
    details = nil
  }

  /// Shows what a row has changed; stops for it.
  func open(_ row: DaemonModel.LogRow, of daemon: DaemonModel) {
    guard details == nil else { return close() }
    wasLive = pausedRows == nil
    pausedRows = pausedRows ?? daemon.log
    details = LogDetails(row, of: daemon)
  }

  /// Goes on where it was stopped to show what a row has changed.
  func close() {
    details = nil
    if wasLive { pausedRows = nil }
  }
}
