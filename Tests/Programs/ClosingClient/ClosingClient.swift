import StoreClient

/// A client that closes its connection while its tasks still run.
///
///     ClosingClient DIRECTORY [SECONDS]
///
/// It waits for a daemon for SECONDS.
@main
struct ClosingClient {
  @MainActor
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let directory = arguments.first else {
      return print("usage: ClosingClient DIRECTORY [SECONDS]")
    }
    let patience = arguments.dropFirst().first.flatMap(Int.init) ?? 10
    let location = StoreLocation(directory: directory)
    StoreConnection.main(to: location, name: "closing client") { connection in
      try await connection.connected(within: .seconds(patience))
      try connection.close()
      // The main loop continues without sockets.
      for _ in 0..<10 { await Task.detached {}.value }
    }
    print("done")
  }
}
