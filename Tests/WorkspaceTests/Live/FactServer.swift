import FlyingFox
import FlyingSocks
import StoreActor

/// A number fact service on a free port of this computer.
struct FactServer: Sendable {
  /// Its URL, in the form that a program's user would write.
  let baseURL: String

  /// Serves while an operation runs.
  static func run<R: Sendable>(
    _ respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse,
    operation: (FactServer) async throws -> R,
  ) async throws -> R {
    let server = HTTPServer(
      address: try .inet(ip4: "127.0.0.1", port: 0),
      logger: .disabled,
      handler: ClosureHTTPHandler(respond),
    )
    let serving = Task { try await server.run() }
    try await server.waitUntilListening()
    let result: Result<R, any Error>
    do {
      result = .success(try await operation(FactServer(baseURL: try await server.baseURL)))
    } catch {
      result = .failure(error)
    }
    await server.stop()
    // The server's result is ignored: it was stopped.
    _ = await serving.result
    return try result.get()
  }

  /// Serves one answer.
  static func run<R: Sendable>(
    status: HTTPStatusCode = .ok,
    body: Data,
    operation: (FactServer) async throws -> R,
  ) async throws -> R {
    try await run { _ in
      HTTPResponse(statusCode: status, body: body)
    } operation: {
      try await operation($0)
    }
  }
}

/// The error of a server without an address.
struct NotListening: Error {}

extension HTTPServer {
  fileprivate var baseURL: String {
    get throws {
      guard case .ip4(let address, let port)? = listeningAddress else { throw NotListening() }
      return "http://\(address):\(port)"
    }
  }
}

/// A request whose answer waits for the test.
struct SlowAnswer: Sendable {
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  private let releases = AsyncStream.makeStream(of: Void.self)

  /// The server's handler: reports that a request has arrived, and waits.
  func respond(_ request: HTTPRequest) async -> HTTPResponse {
    arrivals.continuation.yield()
    for await _ in releases.stream { break }
    return HTTPResponse(statusCode: .ok, body: Data("too late".utf8))
  }

  /// Waits until a request has arrived.
  func hasArrived() async {
    for await _ in arrivals.stream { break }
  }

  /// Releases the answers to all requests.
  func release() {
    releases.continuation.finish()
  }
}

/// A port of this computer without a listener, which no other program can take meanwhile.
struct SilentPort {
  /// Its URL, in the form that a program's user would write.
  let baseURL: String

  private let socket: Socket

  init() throws {
    let address: sockaddr_in = try .inet(ip4: "127.0.0.1", port: 0)
    socket = try Socket(domain: AF_INET)
    try socket.bind(to: address)
    guard case .ip4(_, let port) = try socket.sockname() else { throw NotListening() }
    baseURL = "http://127.0.0.1:\(port)"
  }

  func close() {
    // The test is over; the end of the process closes the descriptor at the latest.
    try? socket.close()
  }
}
