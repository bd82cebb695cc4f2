import Foundation
import PrintFarm
import StoreClient

/// A client for a shell.
///
///     farmctl DIRECTORY list
///     farmctl DIRECTORY add FILE LAYERS
///     farmctl DIRECTORY wait              until each job has ended or is jammed
///     farmctl DIRECTORY limit LAYERS      the greatest number of layers of a job
@main
@MainActor
struct Farmctl {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2, let work = work(Array(arguments.dropFirst())) else {
      print("usage: farmctl DIRECTORY list | add FILE LAYERS | wait | limit LAYERS")
      exit(64)
    }
    let location = StoreLocation(directory: arguments[0])
    StoreConnection.main(to: location, name: "farmctl") { connection in
      try await connection.connected(within: .seconds(5))
      try await work(connection.store("farm", Farm.self), connection)
    }
  }

  private typealias Work = @MainActor (StoreOf<Farm>, StoreConnection) async throws -> Void

  private static func work(_ arguments: [String]) -> Work? {
    switch (arguments[0], arguments.count, arguments.last.flatMap(Int.init)) {
    case ("list", 1, _):
      { farm, _ in show(farm) }
    case ("add", 3, .some(let layers)):
      { farm, _ in
        let add = farm.send(.addButtonTapped(file: arguments[1], layers: layers))
        print("added #\(try await add.reply(Int.self))")
      }
    case ("wait", 1, _):
      { farm, _ in
        for await state in AsyncStream(statesOf: farm)
        where state.jobs.allSatisfy({ $0.isOver || $0.status == .jammed }) { break }
        show(farm)
      }
    case ("limit", 2, .some(let layers)):
      { _, connection in
        prepareDependencies { connection.share(in: &$0) }
        @Shared(.store("settings")) var settings = Settings()
        try await Shared.update($settings) { $0.mostLayers = layers }
      }
    default: nil
    }
  }

  private static func show(_ farm: StoreOf<Farm>) {
    for job in farm.jobs {
      print("#\(job.id) \(job.file): \(job.status.rawValue), \(job.layer) of \(job.layers)")
    }
  }
}
