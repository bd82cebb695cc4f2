import BuildQueue
import Foundation
import StoreClient

/// A client for a shell.
///
///     queuectl DIRECTORY list
///     queuectl DIRECTORY add BRANCH…
///     queuectl DIRECTORY cancel NUMBER
///     queuectl DIRECTORY pause | resume | clear
///     queuectl DIRECTORY wait            until no build waits or is building
@main
@MainActor
struct Queuectl {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2, let work = work(arguments[1], Array(arguments.dropFirst(2))) else {
      print(
        "usage: queuectl DIRECTORY list | add BRANCH... | cancel N | pause | resume | clear | wait"
      )
      exit(64)
    }
    let location = StoreLocation(directory: arguments[0])
    StoreConnection.main(to: location, name: "queuectl") { connection in
      // Waits for a daemon that may be about to start; then the error states the cause.
      try await connection.connected(within: .seconds(5))
      try await work(connection.store("queue", BuildQueue.self))
    }
  }

  private typealias Work = @MainActor (StoreOf<BuildQueue>) async throws -> Void

  private static func work(_ command: String, _ arguments: [String]) -> Work? {
    switch command {
    case "list": { show($0) }
    case "add": adding(arguments)
    case "cancel": sending(arguments.compactMap(Int.init).map { .cancelButtonTapped(number: $0) })
    case "pause": sending([.pauseButtonTapped])
    case "resume": sending([.resumeButtonTapped])
    case "clear": sending([.clearButtonTapped])
    case "wait": { await wait($0) }
    default: nil
    }
  }

  private static func adding(_ branches: [String]) -> Work {
    { store in
      for branch in branches {
        let number = try await store.send(.addButtonTapped(branch: branch)).reply(Int.self)
        print("added #\(number)")
      }
    }
  }

  private static func sending(_ actions: [BuildQueue.Action]) -> Work {
    { store in
      for action in actions { _ = try await store.send(action).applied() }
      // The client's state includes the applied actions here.
      show(store)
    }
  }

  private static func show(_ store: StoreOf<BuildQueue>) {
    for build in store.builds { print("#\(build.id) \(build.branch): \(build.status.rawValue)") }
    if store.isPaused { print("(paused)") }
  }

  private static func wait(_ store: StoreOf<BuildQueue>) async {
    for await state in AsyncStream(statesOf: store) where state.builds.allSatisfy(\.isOver) {
      break
    }
    show(store)
  }
}
