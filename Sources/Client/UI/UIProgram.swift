import StoreActor
import StoreClient
import StoreReplication
import StoredWorkspace
import TerminalViews

/// A `ui` under way: the daemon's answers become what is shown.
@MainActor
final class UIProgram {
  private let connection: StoreConnection
  private let model: UIModel
  private let program: ScreenProgram

  init(_ daemon: Daemon, _ terminal: any TerminalDevice) {
    connection = daemon.connection
    let model = UIModel(DaemonModel(daemon.connection.client, scopes: daemon.scopes))
    self.model = model
    // What somebody presses is meant for what he sees.
    connection.client.actionsEndWithEpoch = true
    let program = ScreenProgram(model.daemon, connection, on: terminal) {
      UserInterface(model: model)
    }
    self.program = program
    model.onQuit = { [weak program] in program?.end() }
    program.onPause = {
      if model.screen == .log, model.logState.pausedRows == nil { model.daemon.askForLog() }
    }
  }

  /// Shows the daemon until the user has seen enough, or nothing will come any more.
  func run() async throws {
    let work = [
      Task { model.counter = await store("counter", Counter.self) },
      Task { model.todos = await store("todos", Todos.self) },
      Task { model.game = await store("game", Game.self) },
    ]
    defer { for task in work { task.cancel() } }
    try await program.run()
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
      if !program.isEnded { model.daemon.say("\(scope): \(error)", isFailure: true) }
      return nil
    }
  }
}
