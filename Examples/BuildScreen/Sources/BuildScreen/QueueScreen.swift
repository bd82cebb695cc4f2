public import BuildQueue
import Observation
public import StoreActor
public import TerminalViews

/// The queue on a terminal.
///
/// The screen works the same with a local and a remote store.
public struct QueueScreen: View {
  let store: StoreOf<BuildQueue>
  let selection: QueueSelection

  /// Creates a screen of a store, with a selection.
  public init(store: StoreOf<BuildQueue>, selection: QueueSelection) {
    self.store = store
    self.selection = selection
  }

  /// The title, the list of builds and the help.
  public var body: some View {
    VStack {
      Text(title, Style(store.isPaused ? .yellow : .cyan, isBold: true))
      RowList(store.builds, id: \.id, selection: selection.binding) { build in
        Text("#\(build.id) \(build.branch): \(build.status.rawValue)", Style(build.color))
      }
      HelpBar([
        HelpBar.Hint("x", "cancel"), HelpBar.Hint("p", "pause"), HelpBar.Hint("c", "clear"),
      ])
    }
    .onKeys { key in take(key) }
  }

  private var title: String {
    let waiting = store.builds.count { $0.status == .waiting }
    return store.isPaused ? "Paused, \(waiting) waiting" : "\(waiting) waiting"
  }

  private func take(_ key: Key) -> Bool {
    switch key {
    case "p": store.send(store.isPaused ? .resumeButtonTapped : .pauseButtonTapped)
    case "c": store.send(.clearButtonTapped)
    case "x":
      guard let number = selection.rows.id else { return false }
      store.send(.cancelButtonTapped(number: number))
    default: return false
    }
    return true
  }
}

/// The selected build.
///
/// It belongs to this screen only, so it is not in the feature's state.
@MainActor
@Observable
public final class QueueSelection {
  var rows = RowSelection<Build.ID>()

  /// Selects the first build.
  public init() {}

  var binding: Binding<RowSelection<Build.ID>> {
    Binding {
      self.rows
    } set: {
      self.rows = $0
    }
  }
}

extension Build {
  fileprivate var color: Color {
    switch status {
    case .waiting: .primary
    case .building: .cyan
    case .passed: .green
    case .failed: .red
    case .canceled: .secondary
    }
  }
}
