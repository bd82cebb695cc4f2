import FlyingFox
import FlyingSocks
import StoreActor

/// A number fact service on a free port of this computer.
struct FactServer: Sendable {
  /// Where it is, as a program's user would write it.
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
    // Its end is no news: it was stopped.
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

/// What a server says when it has no address.
struct NotListening: Error {}

extension HTTPServer {
  fileprivate var baseURL: String {
    get throws {
      guard case .ip4(let address, let port)? = listeningAddress else { throw NotListening() }
      return "http://\(address):\(port)"
    }
  }
}

/// A request that is answered only when the test says so.
struct SlowAnswer: Sendable {
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  private let releases = AsyncStream.makeStream(of: Void.self)

  /// The server's part: says that a request has come, and waits.
  func respond(_ request: HTTPRequest) async -> HTTPResponse {
    arrivals.continuation.yield()
    for await _ in releases.stream { break }
    return HTTPResponse(statusCode: .ok, body: Data("too late".utf8))
  }

  /// Waits until a request has come.
  func hasArrived() async {
    for await _ in arrivals.stream { break }
  }

  /// Lets all requests be answered.
  func release() {
    releases.continuation.finish()
  }
}

/// A port of this computer at which nobody listens, and that nobody else can take meanwhile.
struct SilentPort {
  /// Where it is, as a program's user would write it.
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
    // The test is over; a descriptor that will not close goes with the process.
    try? socket.close()
  }
}
