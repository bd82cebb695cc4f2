import StoreClient

/// A client that closes its connection before all that it runs is done.
///
///     ClosingClient DIRECTORY
@main
struct ClosingClient {
  @MainActor
  static func main() throws {
    guard let directory = CommandLine.arguments.dropFirst().first else {
      return print("usage: ClosingClient DIRECTORY")
    }
    let location = StoreLocation(directory: directory)
    try StoreConnection.run(to: location, name: "closing client") { connection in
      try await connection.connected(within: .seconds(10))
      try connection.close()
      // The main loop goes on without sockets.
      for _ in 0..<10 { await Task.detached {}.value }
    }
    print("done")
  }
}
