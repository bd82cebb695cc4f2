import GenericState
import Observation
import StoreProtocol
import StoreReplica
import StoreState
import TerminalViews

/// A scope of any type that the user watches; it is followed for the lifetime of this object.
@MainActor
@Observable
final class WatchedScope {
  let name: String
  let description: ScopeDescription
  @ObservationIgnored private let client: ReplicaClient
  @ObservationIgnored private let scope: ClientScope
  @ObservationIgnored private let replica: GenericReplica
  /// Counts changes of the state; a drawing always shows the newest one.
  private(set) var news = 0
  /// The last drawn text of each row.
  @ObservationIgnored private var seen: [[StateNode.Key]: Seen] = [:]
  /// The value of ``news`` at the last drawing, and at the last drawing of a different value.
  @ObservationIgnored private var drawn = 0
  @ObservationIgnored private var drawnBefore = 0
  @ObservationIgnored private var lastChange = 0
  /// Whether this drawing has marked a row of an older change, which a later row may supersede.
  @ObservationIgnored private var showsOlder = false
  /// Counts drawings that have to be repeated.
  private var repetitions = 0

  private struct Seen {
    var text: String
    /// The value of `news` at its last change; 0 without a change.
    var changed: Int
    /// The value of `news` when it was last visible.
    var seen: Int
  }

  init(_ name: String, _ description: ScopeDescription, of client: ReplicaClient) {
    self.name = name
    self.description = description
    self.client = client
    replica = GenericReplica(name: name, description: description)
    scope = client.add(
      name,
      mode: .follow,
      state: description.state,
      action: description.action,
      replica: replica,
    )
    replica.onNews = { [weak self] in self?.news += 1 }
  }

  isolated deinit { client.release(scope) }

  var revision: UInt64 { replica.revision }

  /// The state; nil while it is absent.
  var root: StateNode? {
    // The replica is not observable, so `news` is read to observe it.
    _ = news
    guard replica.isShown else { return nil }
    return StateNode(name, replica.value, replica.schema, in: description.state)
  }

  /// The state, or a node without parts if it is absent.
  var shownRoot: StateNode {
    root ?? StateNode(name, .null, .null, in: description.state)
  }

  /// The reason why the state is absent.
  var absence: String {
    switch scope.status {
    case .refused(let failure): failure.message
    case .closed(let reason): reason
    case .joining: "Waiting for the first state …"
    case .live, .stale: "The scope is absent now."
    }
  }

  // MARK: - Latest changes

  /// Records the displayed text of a row.
  ///
  /// - Returns: Whether the row is among those of the latest change.
  func note(_ path: [StateNode.Key], _ text: String) -> Bool {
    _ = repetitions
    if drawn != news { (drawn, drawnBefore, showsOlder) = (news, drawn, false) }
    // The time of a change is unknown for a row that was not visible meanwhile.
    if let known = seen[path], known.seen >= drawnBefore {
      let isSame = known.text == text
      if !isSame, lastChange != drawn {
        lastChange = drawn
        // Observation ignores changes to a property that the current drawing has read.
        if showsOlder { Task { repetitions += 1 } }
      }
      seen[path] = Seen(text: text, changed: isSame ? known.changed : drawn, seen: drawn)
    } else {
      if seen.count > Self.mostSeen { seen = [:] }
      seen[path] = Seen(text: text, changed: 0, seen: drawn)
    }
    let isNews = lastChange > 0 && seen[path]?.changed == lastChange
    if isNews, lastChange != drawn { showsOlder = true }
    return isNews
  }

  private static let mostSeen = 10_000

  // MARK: - Sending

  func send(_ action: [UInt8], onOutcome: @escaping @MainActor (Outcome) -> Void) {
    client.submit(action, to: scope, timeToLive: client.actionTimeToLive).whenSettled(onOutcome)
  }
}
