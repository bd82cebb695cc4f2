import StoreActor
import StoreClient
import StoreReplica
import StoredWorkspace
import TerminalViews

/// A running `ui`: passes the daemon's answers to the model.
@MainActor
final class UIProgram {
  private let connection: StoreConnection
  private let model: UIModel
  private let program: ScreenProgram

  init(_ daemon: Daemon, _ terminal: any TerminalDevice) {
    connection = daemon.connection
    let model = UIModel(DaemonModel(daemon.connection.client, scopes: daemon.scopes))
    self.model = model
    // A key applies to the displayed state, so actions end with its epoch.
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

  /// Shows the daemon until the user quits or the connection fails.
  func run() async throws {
    let work = [
      Task { model.counter = await store(.counter, Counter.self) },
      Task { model.todos = await store(.todos, Todos.self) },
      Task { model.game = await store(.game, Game.self) },
    ]
    defer { for task in work { task.cancel() } }
    await awaitFeatures()
    try await program.run()
  }

  /// Waits up to two seconds for the features' first states: keys typed meanwhile are for them.
  private func awaitFeatures() async {
    for _ in 0..<Self.mostPauses where model.awaitsFeatures {
      do {
        try await connection.pause(for: Self.pause)
      } catch {
        // The connection is closed, which the program reports.
        return
      }
    }
  }

  /// The number and length of the pauses: two seconds in total.
  private static let (mostPauses, pause) = (400, Duration.milliseconds(5))

  /// Returns a feature's store; nil if the daemon has no such scope, or one of another type.
  private func store<R: Reducer>(
    _ screen: UIModel.Screen,
    _ reducer: R.Type,
  ) async -> StoreOf<R>?
  where R.State: ReplicatedState, R.Action: WireAction {
    guard model.screens.contains(screen), let scope = screen.scope else { return nil }
    do throws(ConnectionError) {
      return try await connection.store(scope, reducer, within: nil)
    } catch {
      if !program.isEnded { model.failures[screen] = "\(error)" }
      return nil
    }
  }
}
