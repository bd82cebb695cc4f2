import Observation
import TerminalViews

/// What the log's screen keeps for itself.
@MainActor
@Observable
final class LogState {
  let screen: ScreenState<UInt64>
  /// What the log had when it was paused; nil while it is live.
  var pausedRows: [DaemonModel.LogRow]?
  /// Whether the newest row is selected, whichever that is.
  private var followsEnd = true

  init(_ screen: ScreenState<UInt64>) { self.screen = screen }

  func rows(of log: [DaemonModel.LogRow]) -> [DaemonModel.LogRow] {
    let rows = pausedRows ?? log
    return screen.search.isEmpty ? rows : rows.filter { $0.contains(screen.search) }
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
    }
  }
}
