import StoreActor
import StoreActorNetworking
import Testing

struct PageClient: Sendable {
  var load: @Sendable (URL) async throws -> String
}

extension PageClient: DependencyKey {
  static var liveValue: PageClient {
    @Dependency(\.urlSession) var urlSession
    return PageClient { [urlSession] url in
      String(decoding: try await urlSession.data(from: url).0, as: UTF8.self)
    }
  }
}

@Suite struct NetworkTests {
  @Test func session() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Echo.self]
    let client = withDependencies {
      $0.context = .live
      $0.urlSession = URLSession(configuration: configuration)
    } operation: {
      PageClient.liveValue
    }
    let url = try #require(URL(string: "https://example.com/page"))
    #expect(try await client.load(url) == "/page")
  }

  @Test func unimplemented() {
    withKnownIssue {
      @Dependency(\.urlSession) var urlSession
      _ = urlSession
    } matching: {
      $0.description.contains("urlSession")
    }
  }
}

/// Answers each request with its path.
private final class Echo: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { true }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url,
      let response = HTTPURLResponse(
        url: url,
        statusCode: 200,
        httpVersion: nil,
        headerFields: nil,
      )
    else { return }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data(url.path.utf8))
    client?.urlProtocolDidFinishLoading(self)
  }

  override func stopLoading() {}
}
