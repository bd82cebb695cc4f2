import StoreProtocol
import StoreState
import TerminalViews

/// The daemon's status: numbers, and their recent history.
struct OverviewScreen: View {
  let daemon: DaemonModel
  let selection: Binding<RowSelection<String>>
  /// Only counters whose names contain this text are shown.
  let search: String

  var body: some View {
    if let status = daemon.status {
      VStack {
        HStack(spacing: 3) {
          Text("revision \(status.revision)", Style(isBold: true))
          Text(status.durableRevision.map { "durable \($0)" } ?? "in memory only")
          Text("pid \(status.pid)", Style(.secondary))
          Text("up for \(status.uptimeText)", Style(.secondary))
          Text("epoch \(status.epochText)", Style(.secondary))
        }
        Facts(status: status)
        Plots(daemon: daemon)
        Text("")
        SearchText(search: search)
        let search = TextSearch(search)
        Table(
          status.counters.filter { $0.count > 0 && search.isFound(in: $0.name) },
          id: \.name,
          selection: selection,
          columns: [
            TableColumn("Counter") { $0.name },
            TableColumn("Count", isNumber: true) { "\($0.count)" },
          ],
        )
      }
    } else {
      Text("Waiting for the daemon's status …", Style(.secondary)).filling()
    }
  }

  /// What most daemons do not have: an obstacle, work of their own, crashes.
  private struct Facts: View {
    let status: DaemonStatus

    var body: some View {
      VStack {
        if let obstacle = status.obstacle { Text("obstacle: \(obstacle)", Style(isBold: true)) }
        if !status.work.isEmpty { Text("own work: \(status.work)") }
        ForEach(status.copies, id: \.target) { copy in Text("copy: \(copy.text)") }
        if let last = status.crashes.first {
          let time = UTCTime.text(milliseconds: last.milliseconds)
          Text("crashes: \(status.crashes.count), the last one \(time) in \(last.cause)")
        }
      }
    }
  }

  /// Plots of at most three rows, of which the first one is text; the rows below keep some space.
  private struct Plots: PrimitiveView {
    let daemon: DaemonModel

    private static let (count, restRows) = (3, 4)

    func size(in proposal: Size) -> Size {
      let rows = min(3, max(0, proposal.height - Self.restRows) / Self.count)
      return Size(width: proposal.width, height: rows * Self.count)
    }

    func draw(in canvas: Canvas) {
      let height = canvas.size.height / Self.count - 1
      VStack {
        Plot(title: "revisions a second", values: daemon.rates, height: height)
        Plot(title: "answers, in ms", values: daemon.latencies, height: height)
        Plot(
          title: "unread by the slowest session, in seconds",
          values: daemon.lags,
          height: height,
        )
      }
      .drawn(in: canvas)
    }
  }

  private struct Plot: View {
    let title: String
    let values: [Double]
    let height: Int

    var body: some View {
      VStack {
        HStack {
          Text(title, Style(.secondary))
          Text(Plot.text(values.last ?? 0))
          Text("at most \(Plot.text(values.max() ?? 0))", Style(.secondary))
        }
        Sparkline(values, height: height)
      }
    }

    private static func text(_ value: Double) -> String {
      let tenths = Int((min(value, 1e12) * 10).rounded())
      return tenths % 10 == 0 || tenths > 1_000 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
  }
}

/// The connected sessions.
struct SessionsScreen: View {
  let daemon: DaemonModel
  let state: ScreenState<UInt64>

  var body: some View {
    let rows = (daemon.status?.sessions ?? []).filter {
      state.finds(in: $0.name, $0.scopes, $0.peer)
    }
    SearchText(search: state.search)
    Table(
      rows,
      id: \.id,
      selection: state.selectionBinding,
      columns: [
        TableColumn("Session", isNumber: true) { "\($0.id)" },
        TableColumn("Name") { $0.name },
        TableColumn("User", isNumber: true) { $0.user },
        TableColumn("Unread", isNumber: true, style: Self.style) { "\($0.backlog)" },
        TableColumn("Heard", isNumber: true) { $0.heard },
        TableColumn("Effects", isNumber: true) { "\($0.effects)" },
        TableColumn("Peer") { $0.peer },
        TableColumn("Scopes") { $0.scopes },
      ],
    )
    .onKeys(state.filterCommands())
  }

  /// Red for a session with a message that has been unread for more than a second.
  private static func style(_ session: DaemonStatus.Session) -> Style {
    Style(session.backlog.milliseconds > 1_000 ? .red : .primary)
  }
}

/// The scopes that the daemon exposes.
struct ScopesScreen: View {
  let daemon: DaemonModel
  let state: ScreenState<String>
  let onOpen: @MainActor (ScopeDescription) -> Void

  var commands: [ScreenCommand] {
    let show = ScreenCommand([.enter], "show") {
      if let scope = rows.first(where: { $0.pattern == state.selection.id }) { onOpen(scope) }
    }
    return [show] + state.filterCommands()
  }

  private var rows: [ScopeDescription] { daemon.scopes.filter { state.finds(in: $0.pattern) } }

  var body: some View {
    let rows = rows
    SearchText(search: state.search)
    Table(
      rows,
      id: \.pattern,
      selection: state.selectionBinding,
      onSubmit: onOpen,
      columns: [
        TableColumn("Scope") { $0.pattern },
        TableColumn("State") { "\($0.state.root)" },
        TableColumn("Actions", style: { Style($0.actions.isEmpty ? .secondary : .primary) }) {
          $0.actions.isEmpty ? "read-only" : $0.actions.map(\.name).joined(separator: " ")
        },
      ],
    )
    .onKeys(commands)
  }
}

/// The live log, with the newest revision at the end.
struct LogScreen: View {
  let daemon: DaemonModel
  let state: LogState

  var commands: [ScreenCommand] {
    var commands = [
      ScreenCommand([.enter], "what changed") {
        let rows = state.rows(of: daemon.log)
        let selected = state.selection(in: rows).wrappedValue.id
        if let row = rows.first(where: { $0.id == selected }) { state.open(row, of: daemon) }
      },
      ScreenCommand([" "], state.pausedRows == nil ? "pause" : "go on") { state.pause(daemon) },
      ScreenCommand(["G", .end], "newest") {
        let rows = state.rows(of: daemon.log)
        let selection = state.selection(in: rows)
        if let last = rows.last { selection.wrappedValue.select(rows.count - 1, id: last.id) }
      },
    ]
    if state.details != nil {
      commands.append(ScreenCommand([.escape], "close") { state.close() })
    }
    return commands + state.screen.filterCommands()
  }

  var body: some View {
    let rows = state.rows(of: daemon.log)
    VStack {
      HStack(spacing: 2) {
        Text(liveness, Style(liveness == "live" ? .green : .yellow))
        if !state.screen.search.isEmpty { SearchText(search: state.screen.search) }
        Text(extent(of: rows), Style(.secondary))
      }
      if let failure = daemon.logFailure {
        Paragraph(failure, Style(.secondary))
      } else if daemon.log.isEmpty {
        Paragraph(emptiness, Style(.secondary))
      }
      table(rows)
      if let details = state.details { LogDetailsView(details: details) }
    }
    .onKeys(commands)
  }

  private var liveness: String {
    state.pausedRows != nil ? "paused" : daemon.isStale ? "not live" : "live"
  }

  /// The number of listed revisions, and the set they belong to.
  private func extent(of rows: [DaemonModel.LogRow]) -> String {
    let all = state.pausedRows ?? daemon.log
    // Revision 1 is the first one that changed anything.
    let isWhole = all.first.map { $0.id <= 1 } ?? true
    let extent =
      isWhole
      ? Counted.text(all.count, "revision")
      : "the newest \(Counted.text(all.count, "revision"))"
    let part = state.screen.search.isEmpty ? extent : "\(rows.count) of \(extent)"
    return isWhole ? part : "\(part); storectl log lists older ones"
  }

  /// The reason why the log is empty.
  private var emptiness: String {
    if daemon.isLogKnown { return "The log is empty." }
    return daemon.isStale
      ? "The log is unknown: it was not requested while the daemon responded."
      : "Waiting for the daemon's log …"
  }

  private func table(_ rows: [DaemonModel.LogRow]) -> some View {
    Table(
      rows,
      id: \.id,
      selection: state.selection(in: rows),
      onSubmit: { state.open($0, of: daemon) },
      columns: [
        TableColumn("Revision", isNumber: true) { "\($0.id)" },
        TableColumn("Time") { String($0.time.dropFirst(11).dropLast()) },
        TableColumn("By") { $0.who },
        TableColumn("Action") { $0.what },
        TableColumn("Changed", style: { _ in Style(.green) }) { $0.changed },
        TableColumn("Took", isNumber: true) { $0.duration },
      ],
    )
  }
}
