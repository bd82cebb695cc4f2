import StoreClient
import Workspace

/// A client that adds a paper: `Client DIRECTORY`.
@main
struct Main {
  @MainActor static func main() throws {
    let location = StoreLocation(directory: CommandLine.arguments[1])
    try StoreConnection.run(to: location, name: "client") { connection in
      let store = try await connection.store("desk", Desk.self)
      try await store.send(.paperAdded).applied()
      print(store.papers)
    }
  }
}
