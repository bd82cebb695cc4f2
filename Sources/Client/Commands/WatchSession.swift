import GenericState
import StoreClient
import StoreProtocol
import StoreReplica
import StoreState

/// A running `watch`: states and deltas become lines, at the pace of the output.
@MainActor
final class WatchSession {
  struct Format {
    var isJSON: Bool
    var deltas: Bool
    var outputs: Bool
    var digest: Bool
    var count: Int?
  }

  /// A scope and its pending output.
  private final class Watched {
    let scope: GenericReplica
    /// Whether the newest state still has to be printed.
    var isChanged = false
    /// Whether deltas are meaningless until the state was printed.
    var needsState = true

    init(_ scope: GenericReplica) { self.scope = scope }
  }

  /// The most bytes of pending lines; beyond it the state replaces deltas.
  private static let mostPending = 64 << 20

  private let daemon: Daemon
  private let format: Format
  private let session = LineSession(isEndless: true)
  private var watched: [Watched] = []
  /// Each scope's index in `watched`, by name.
  private var places: [String: Int] = [:]
  private var printed = 0

  init(_ daemon: Daemon, _ format: Format) {
    self.daemon = daemon
    self.format = format
  }

  private var writer: LineWriter { session.writer }

  /// Prints until the count is reached, a signal arrives, or the reader has left.
  func run(_ scopes: [(name: String, description: ScopeDescription)]) async throws {
    writer.onIdle = { [weak self] in self?.outputIdle() }
    // The connection's closure keeps the session alive; the other closures hold it weakly.
    daemon.connection.onEvent = { [self] in session.handle($0) }
    for (name, description) in scopes {
      places[name] = watched.count
      watched.append(
        Watched(
          daemon.connection.follow(name, description: description) { [weak self] in
            self?.handle($1, $0)
          }
          .replica
        )
      )
    }
    try await session.ended()
  }

  private func handle(_ event: GenericReplica.Event, _ scope: GenericReplica) {
    guard !session.isOver, let place = places[scope.name] else { return }
    let entry = watched[place]
    switch event {
    case .snapshot:
      entry.needsState = true
      entry.isChanged = true
    case .delta(let delta, let old, _):
      entry.isChanged = true
      if format.deltas, !entry.needsState { printDelta(delta, old, entry) }
    case .output(let value, let revision):
      if format.outputs { printOutput(value, entry, at: revision) }
    case .shown: printChanged()
    case .status(.refused(let failure)): session.end(.failure(ConnectionError(failure)))
    case .status: break
    }
  }

  /// Prints pending states while the output has room.
  private func printChanged() {
    let hasRoom = format.deltas && writer.pendingBytes < Self.mostPending / 2
    guard writer.isIdle || hasRoom else { return }
    for entry in watched where entry.isChanged && !session.isOver {
      printState(entry)
    }
  }

  /// Prints a pending state, unless printed deltas already include it.
  private func printState(_ entry: Watched) {
    entry.isChanged = false
    guard !format.deltas || entry.needsState else { return }
    entry.needsState = false
    line(entry, ("state", StateLine.tree(entry.scope)))
  }

  private func printDelta(_ delta: ArraySlice<UInt8>, _ old: GenericValue, _ entry: Watched) {
    guard writer.pendingBytes < Self.mostPending else {
      Note.print("the output cannot keep up; the state of \(entry.scope.name) will follow")
      entry.needsState = true
      return
    }
    let scope = entry.scope
    do throws(CodecError) {
      let tree = try JSONProjection.tree(
        delta: delta,
        of: old,
        schema: scope.schema,
        in: scope.description.state,
      )
      line(entry, ("delta", tree))
    } catch {
      let problem = "A delta of \(scope.name) is invalid: \(error)"
      session.end(.failure(CommandError(.badData, problem)))
    }
  }

  /// Prints an output, unless the backlog is so large that states are skipped too.
  private func printOutput(_ output: GenericValue, _ entry: Watched, at revision: UInt64) {
    guard let document = entry.scope.description.output else { return }
    guard writer.pendingBytes < Self.mostPending else {
      return Note.print("the output cannot keep up; an output of \(entry.scope.name) is left out")
    }
    // The state precedes the output, which refers to it.
    if entry.isChanged { printState(entry) }
    guard !session.isOver else { return }
    let tree = JSONProjection.tree(output, schema: document.root, in: document)
    line(entry, ("output", tree), at: revision)
  }

  private func line(
    _ entry: Watched,
    _ content: (name: String, tree: JSONValue),
    at revision: UInt64? = nil,
  ) {
    writer.line(
      StateLine.text(
        entry.scope,
        content,
        at: revision,
        withDigest: format.digest,
        asJSON: format.isJSON,
      )
    )
    printed += 1
    if printed == format.count { session.end(.success(())) }
  }

  private func outputIdle() {
    guard writer.failure != nil else {
      if !session.isOver { printChanged() }
      return
    }
    session.end(.success(()))
  }
}
