import StoreClient
import Workspace

/// A client that adds a paper: `Client DIRECTORY`.
@main
struct Main {
  @MainActor static func main() {
    let location = StoreLocation(directory: CommandLine.arguments[1])
    StoreConnection.main(to: location, name: "client") { connection in
      let store = try await connection.store("desk", Desk.self)
      try await store.send(.paperAdded).applied()
      print(store.papers)
    }
  }
}
