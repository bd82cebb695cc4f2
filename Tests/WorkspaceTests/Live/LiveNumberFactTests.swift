import FlyingFox
import StoreActor
import StoredWorkspace
import StoredWorkspaceLive
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LiveNumberFactTests {
  @Test("The fact is the service's answer for the number's path, without surrounding white space")
  func fetches() async throws {
    let paths = LockIsolated<[String]>([])
    try await FactServer.run { request in
      paths.withValue { $0.append(request.path) }
      return HTTPResponse(statusCode: .ok, body: Data(" \(request.path) is fine: é.\n".utf8))
    } operation: { server in
      let client = try NumberFactClient.live(baseURL: server.baseURL, clock: TestClock())
      #expect(try await client.fetch(7) == "/7 is fine: é.")
      #expect(try await client.fetch(-3) == "/-3 is fine: é.")
      let nested = try NumberFactClient.live(
        baseURL: "\(server.baseURL)/facts/",
        clock: TestClock(),
      )
      #expect(try await nested.fetch(.min) == "/facts/-9223372036854775808 is fine: é.")
    }
    #expect(paths.value == ["/7", "/-3", "/facts/-9223372036854775808"])
  }

  @Test(
    "A status other than 200 is an error that names it",
    arguments: [.internalServerError, .notFound, .noContent] as [HTTPStatusCode],
  )
  func refusesOtherStatuses(status: HTTPStatusCode) async throws {
    let error = try await FactServer.run(status: status, body: Data("a fact?".utf8)) { server in
      await failure(of: try NumberFactClient.live(baseURL: server.baseURL, clock: TestClock()))
    }
    #expect(error?.message.contains("answered with the status \(status.code)") == true)
    #expect(error?.message.hasPrefix("No fact about 7: 127.0.0.1:") == true)
  }

  @Test("A redirect to another service is not followed, and one within the service is")
  func redirects() async throws {
    let asked = LockIsolated(0)
    try await FactServer.run { _ in
      asked.withValue { $0 += 1 }
      return HTTPResponse(statusCode: .ok, body: Data("a secret".utf8))
    } operation: { other in
      try await FactServer.run { request in
        let place = request.path == "/7" ? "\(other.baseURL)/" : "/moved"
        return request.path == "/moved"
          ? HTTPResponse(statusCode: .ok, body: Data("found".utf8))
          : HTTPResponse(statusCode: .found, headers: HTTPHeaders([.location: place]))
      } operation: { server in
        let client = try NumberFactClient.live(baseURL: server.baseURL, clock: TestClock())
        let error = await failure(of: client)
        #expect(error?.message.contains("answered with the status 302") == true)
        #expect(try await client.fetch(8) == "found")
      }
    }
    #expect(asked.value == 0)
  }

  @Test("Requests above the rate limit fail without reaching the service")
  func pace() async throws {
    let asked = LockIsolated(0)
    let clock = TestClock()
    try await FactServer.run { _ in
      asked.withValue { $0 += 1 }
      return HTTPResponse(statusCode: .ok, body: Data("fine".utf8))
    } operation: { server in
      let client = try NumberFactClient.live(baseURL: server.baseURL, clock: clock)
      for _ in 0..<10 { _ = try await client.fetch(1) }
      let error = await failure(of: client)
      #expect(error?.message.contains("is asked too often") == true)
      await clock.advance(by: .milliseconds(500))
      _ = try await client.fetch(1)
      _ = await failure(of: client)
    }
    #expect(asked.value == 11)
  }

  @Test func `Who asks again and again leaves half of the answers to others`() async throws {
    let clock = TestClock()
    try await FactServer.run { _ in
      HTTPResponse(statusCode: .ok, body: Data("fine".utf8))
    } operation: { server in
      let client = try NumberFactClient.live(baseURL: server.baseURL, clock: clock)
      let identities: [ActionOrigin.Identity] = [
        .user(1000, group: 100, process: 1), .user(1000, group: 100, process: 2), .key("laptop"),
      ]
      /// The number of facts among the answers to a number of requests of one identity.
      func answers(_ number: Int, of count: Int) async throws -> Int {
        try await withDependencies {
          $0.origin = ActionOrigin(identity: identities[number])
        } operation: {
          var answers = 0
          for _ in 0..<count {
            do {
              if try await client.fetch(1) == "fine" { answers += 1 }
            } catch let error as NumberFactError {
              #expect(error.message.contains("is asked too often"))
            }
          }
          return answers
        }
      }
      #expect(try await answers(0, of: 20) == 5)
      #expect(try await answers(1, of: 3) == 3)
      #expect(try await answers(2, of: 20) == 2)
      // Two requests a second are restored, and one for each identity.
      await clock.advance(by: .seconds(1))
      #expect(try await answers(0, of: 20) == 1)
      #expect(try await answers(1, of: 20) == 1)
      #expect(try await answers(2, of: 20) == 0)
    }
  }

  @Test("Bytes that are not UTF-8 are an error")
  func refusesOtherBytes() async throws {
    let error = try await FactServer.run(body: Data([0x66, 0xff, 0xfe])) { server in
      await failure(of: try NumberFactClient.live(baseURL: server.baseURL, clock: TestClock()))
    }
    #expect(error?.message.contains("answered with 3 bytes that are not UTF-8 text") == true)
  }

  @Test("An empty answer is an error")
  func refusesEmptyAnswers() async throws {
    let error = try await FactServer.run(body: Data("\n".utf8)) { server in
      await failure(of: try NumberFactClient.live(baseURL: server.baseURL, clock: TestClock()))
    }
    #expect(error?.message.contains("answered with an empty text") == true)
  }

  @Test("An answer of 64 KiB is accepted, a longer one is not")
  func limitsTheSize() async throws {
    let longest = String(repeating: "7", count: 65_536)
    let fact = try await FactServer.run(body: Data(longest.utf8)) { server in
      try await NumberFactClient.live(baseURL: server.baseURL, clock: TestClock()).fetch(7)
    }
    #expect(fact == longest)

    for size in [65_537, 4_000_000] {
      let error = try await FactServer.run(body: Data(repeating: 0x37, count: size)) { server in
        await failure(of: try NumberFactClient.live(baseURL: server.baseURL, clock: TestClock()))
      }
      #expect(error?.message.contains("answered with more than 65536 bytes") == true)
    }
  }

  @Test("An address without a listener is an error that states this")
  func reportsARefusedConnection() async throws {
    let silent = try SilentPort()
    defer { silent.close() }
    let error = await failure(
      of: try NumberFactClient.live(baseURL: silent.baseURL, clock: TestClock())
    )
    #expect(error?.message.contains("refused the connection, or nothing listens there") == true)
  }

  @Test("An answer that takes too long is an error with the time limit")
  func timesOut() async throws {
    let (slow, clock) = (SlowAnswer(), TestClock())
    let error = try await FactServer.run(slow.respond) { server in
      let client = try NumberFactClient.live(
        baseURL: server.baseURL,
        timeout: .seconds(3),
        clock: clock,
      )
      async let error = failure(of: client)
      await slow.hasArrived()
      await clock.advance(by: .seconds(3))
      defer { slow.release() }
      return await error
    }
    #expect(error?.message.contains("did not answer within 3.0 seconds") == true)
  }

  @Test("A canceled request ends at once with a cancellation, not with a failure")
  func cancels() async throws {
    let slow = SlowAnswer()
    try await FactServer.run(slow.respond) { server in
      let client = try NumberFactClient.live(baseURL: server.baseURL, clock: TestClock())
      let request = Task { try await client.fetch(7) }
      await slow.hasArrived()
      request.cancel()
      await #expect(throws: CancellationError.self) { try await request.value }
      slow.release()
    }
  }

  @Test("Canceled, answered and too long requests do not affect each other")
  func survivesCancellations() async throws {
    let long = Data(repeating: 0x37, count: 100_000)
    try await FactServer.run { request in
      HTTPResponse(statusCode: .ok, body: request.path.hasSuffix("7") ? long : Data("x".utf8))
    } operation: { server in
      for number in 0..<1000 {
        let client = try NumberFactClient.live(baseURL: server.baseURL, clock: TestClock())
        let request = Task { try await client.fetch(number) }
        // From a moment before the request leaves to one after the answer has arrived.
        for _ in 0..<(number % 40) { await Task.yield() }
        request.cancel()
        switch await request.result {
        case .success(let fact): #expect(fact == "x")
        case .failure(let error): #expect(error is CancellationError || error is NumberFactError)
        }
      }
    }
  }

  @Test(
    "An invalid base URL is refused before any request",
    arguments: ["", "numbersapi.com", "ftp://numbersapi.com", "http://", "http://a b", "/facts"],
  )
  func refusesBadAddresses(baseURL: String) {
    let error = #expect(throws: NumberFactError.self) {
      try NumberFactClient.live(baseURL: baseURL, clock: TestClock())
    }
    #expect(error?.message.contains("expected an http or https URL") == true)
  }

  @Test("A program that links the live part has a client by default")
  func hasALiveValue() {
    let key: any TestDependencyKey.Type = NumberFactClient.self
    #expect(key is any DependencyKey.Type)
    _ = NumberFactClient.liveValue
    #expect(NumberFactClient.defaultBaseURL == "https://numbersapi.com")
  }

  @Test("The counter shows the service's failure")
  @MainActor
  func counterShowsTheFailure() async throws {
    try await FactServer.run(status: .internalServerError, body: Data()) { server in
      let client = try NumberFactClient.live(baseURL: server.baseURL, clock: TestClock())
      let store = TestStore(initialState: Counter.State(count: 7)) {
        Counter()
      } withDependencies: {
        $0.numberFact = client
      }
      let host = server.baseURL.dropFirst("http://".count)
      await store.send(.numberFactButtonTapped)
      await store.receive(\.numberFactResponse.failure, timeout: .seconds(30)) {
        $0.numberFactAlert =
          "No fact about 7: \(host) answered with the status 500; expected 200."
      }
      await store.finish()
    }
  }

  /// The client's error in a request for a fact about 7.
  private func failure(of client: NumberFactClient) async -> NumberFactError? {
    await #expect(throws: NumberFactError.self) { try await client.fetch(7) }
  }
}
