import GenericState
import Observation
import StoreProtocol
import StoreReplica
import StoreState
import TerminalViews

/// A scope of any type that is looked at, for as long as this is held.
@MainActor
@Observable
final class WatchedScope {
  let name: String
  let description: ScopeDescription
  @ObservationIgnored private let client: ReplicaClient
  @ObservationIgnored private let scope: ClientScope
  @ObservationIgnored private let replica: GenericReplica
  /// Counts what was new; what is drawn is always the newest.
  private(set) var news = 0
  /// What was seen of the rows.
  @ObservationIgnored private var seen: [[StateNode.Key]: Seen] = [:]
  /// What was new when the rows were last drawn, and when they were drawn with something else.
  @ObservationIgnored private var drawn = 0
  @ObservationIgnored private var drawnBefore = 0
  @ObservationIgnored private var lastChange = 0
  /// Whether the drawing has a row that changed last as far as was known above it.
  @ObservationIgnored private var showsOlder = false
  /// Counts drawings that have to be repeated.
  private var repetitions = 0

  private struct Seen {
    var text: String
    /// What was new when it changed; 0 where it has not.
    var changed: Int
    /// What was new when it was last to be seen.
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

  /// The state; nil while there is none.
  var root: StateNode? {
    // What is read here is not observed but by what is new.
    _ = news
    guard replica.isShown else { return nil }
    return StateNode(name, replica.value, replica.schema, in: description.state)
  }

  /// The state, or a node without parts where there is none.
  var shownRoot: StateNode {
    root ?? StateNode(name, .null, .null, in: description.state)
  }

  /// Why there is no state.
  var absence: String {
    switch scope.status {
    case .refused(let failure): failure.message
    case .closed(let reason): reason
    case .joining: "Waiting for the first state …"
    case .live, .stale: "The scope is absent now."
    }
  }

  // MARK: - What has changed

  /// Notes what is to be seen of a row.
  ///
  /// - Returns: Whether it is among what changed last.
  func note(_ path: [StateNode.Key], _ text: String) -> Bool {
    _ = repetitions
    if drawn != news { (drawn, drawnBefore, showsOlder) = (news, drawn, false) }
    // Of a row that was not to be seen meanwhile it is not known when it changed.
    if let known = seen[path], known.seen >= drawnBefore {
      let isSame = known.text == text
      if !isSame, lastChange != drawn {
        lastChange = drawn
        // Nobody is told of what changes during a drawing that has read it.
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
