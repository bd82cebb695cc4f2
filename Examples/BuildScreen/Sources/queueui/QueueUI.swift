import BuildQueue
import BuildScreen
import Foundation
import StoreClient
import TerminalCurses
import TerminalViews

/// The queue on this terminal.
///
///     queueui DIRECTORY
@main
struct QueueUI {
  @MainActor static func main() {
    guard let directory = CommandLine.arguments.dropFirst().first else {
      print("usage: queueui DIRECTORY")
      exit(64)
    }
    let environment = ProcessInfo.processInfo.environment
    let location = StoreLocation(directory: directory)
    StoreConnection.main(to: location, name: "queueui") { connection in
      try CursesTerminal.check(environment: environment)
      let store = try await connection.store("queue", BuildQueue.self)
      let terminal = try CursesTerminal(environment: environment)
      let selection = QueueSelection()
      await TerminalSession(on: terminal) { QueueScreen(store: store, selection: selection) }.run()
    }
  }
}
