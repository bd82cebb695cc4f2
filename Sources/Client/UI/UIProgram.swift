import StoreActor
import StoreClient
import StoreReplication
import TerminalViews
import Workspace

/// A `ui` under way: the daemon's answers become what is shown.
@MainActor
final class UIProgram {
  /// How often the daemon is asked for what it tells only when asked.
  private static let pause: Duration = .milliseconds(250)
  private static let pausesPerStatus = 4
  /// Silence after which what is shown counts as old: two answers that did not come.
  private static let patience: Duration = .seconds(2)

  private let connection: StoreConnection
  private let model: UIModel
  private let session: TerminalSession
  private let clock = ContinuousClock()
  private var isEnded = false
  private var failure: (any Error)?
  /// When the daemon was asked for its status, where it has not answered.
  private var askedAt: ContinuousClock.Instant?
  private var answeredAt: ContinuousClock.Instant?

  init(_ daemon: Daemon, _ terminal: any TerminalDevice) {
    connection = daemon.connection
    let model = UIModel(DaemonModel(daemon.connection.client, scopes: daemon.scopes))
    self.model = model
    session = TerminalSession(on: terminal) { UserInterface(model: model) }
  }

  /// Shows the daemon until the user has seen enough, or nothing will come any more.
  func run() async throws {
    model.onQuit = { [weak self] in self?.end() }
    connection.onEvent = { [weak self] in self?.took($0) }
    let work = [
      Task { model.counter = await store("counter", Counter.self) },
      Task { model.todos = await store("todos", Todos.self) },
      Task { model.game = await store("game", Game.self) },
      Task { await ask() },
    ]
    await session.run()
    isEnded = true
    for task in work { task.cancel() }
    if let failure { throw failure }
  }

  private func end(_ failure: (any Error)? = nil) {
    self.failure = self.failure ?? failure
    session.end()
  }

  private func took(_ event: ConnectionEvent) {
    guard !isEnded else { return }
    model.daemon.took(event)
    switch event.kind {
    case .refused: end(ConnectionError(.refused, "\(event)", remedy: ""))
    case .closed: end(ConnectionError(.closed, "\(event)", remedy: ""))
    default: break
    }
  }

  /// A feature's store; nil where the daemon has no such scope, or one of another type.
  private func store<R: Reducer>(_ scope: String, _ reducer: R.Type) async -> StoreOf<R>?
  where R.State: ReplicatedState, R.Action: WireAction {
    guard model.daemon.scopes.contains(where: { $0.name == scope && !$0.isEach }) else {
      return nil
    }
    do throws(ConnectionError) {
      return try await connection.store(scope, reducer, within: nil)
    } catch {
      if !isEnded { model.daemon.say("\(scope): \(error)", isFailure: true) }
      return nil
    }
  }

  // MARK: - What the daemon tells only when asked

  private func ask() async {
    var count = 0
    while !isEnded {
      if count.isMultiple(of: Self.pausesPerStatus) { askForStatus() }
      if model.screen == .log, model.logState.pausedRows == nil { model.daemon.askForLog() }
      if let askedAt, askedAt.duration(to: clock.now) > Self.patience, !model.daemon.isStale {
        model.daemon.isStale = true
      }
      count += 1
      do {
        try await connection.pause(for: Self.pause)
      } catch {
        // The connection is closed, and whoever waits was told.
        return
      }
    }
  }

  private func askForStatus() {
    guard askedAt == nil else { return }
    let start = clock.now
    askedAt = start
    connection.client.status { [weak self] result in
      guard let self else { return }
      askedAt = nil
      // One that makes no sense says at least that somebody is there.
      guard case .success(let status) = result else { return }
      let (now, before) = (clock.now, answeredAt ?? start)
      answeredAt = now
      model.daemon.took(
        status: status,
        after: Double(start.duration(to: now).microseconds) / 1_000,
        interval: Double(before.duration(to: now).microseconds) / 1_000_000,
      )
    }
  }
}

extension Duration {
  fileprivate var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }
}
