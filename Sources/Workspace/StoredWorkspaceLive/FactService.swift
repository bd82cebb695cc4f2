import Foundation
import StoreActor
import StoredWorkspace

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A web service that answers `GET <base>/<number>` with a text about the number.
struct FactService: Sendable {
  /// The longest accepted answer, in bytes: a fact is a sentence, and every client gets a copy.
  static let answerLimit = 64 * 1024

  private let baseURL: URL
  private let timeout: Duration
  private let clock: AnyClock<Duration>
  private let pace: Pace

  init(
    baseURL: String,
    timeout: Duration,
    clock: some Clock<Duration>,
  ) throws(NumberFactError) {
    guard let url = URL(string: baseURL), url.host()?.isEmpty == false,
      ["http", "https"].contains(url.scheme?.lowercased())
    else {
      throw NumberFactError(
        """
        "\(baseURL)" is no address of a number fact service: expected an http or https URL with a \
        host, like \(NumberFactClient.defaultBaseURL)
        """
      )
    }
    self.baseURL = url
    self.timeout = timeout
    self.clock = AnyClock(clock)
    pace = Pace(burst: 10, interval: .milliseconds(500), clock: self.clock)
  }

  /// Requests a fact, and fails at the timeout.
  func fact(about number: Int) async throws -> String {
    @Dependency(\.origin) var origin
    guard pace.allows(origin.identity) else {
      throw failure(number, "is asked too often; ask again in a moment")
    }
    let deadline = clock.now.advanced(by: timeout)
    return try await withThrowingTaskGroup(of: String.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await download(number) }
      group.addTask {
        try await clock.sleep(until: deadline, tolerance: nil)
        throw failure(number, "did not answer within \(timeout)")
      }
      guard let fact = try await group.next() else { throw CancellationError() }
      return fact
    }
  }

  private func download(_ number: Int) async throws -> String {
    let url = baseURL.appending(path: "\(number)")
    let answer: BoundedDownload.Answer
    do {
      answer = try await BoundedDownload(limit: Self.answerLimit).run(URLRequest(url: url))
    } catch let error as URLError {
      if error.code == .cancelled { throw CancellationError() }
      throw failure(number, error.explanation)
    }
    guard answer.status == 200 else {
      throw failure(number, "answered with the status \(answer.status); expected 200")
    }
    guard let body = answer.body else {
      throw failure(number, "answered with more than \(Self.answerLimit) bytes")
    }
    guard let text = String(data: body, encoding: .utf8) else {
      throw failure(number, "answered with \(body.count) bytes that are not UTF-8 text")
    }
    let fact = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !fact.isEmpty else { throw failure(number, "answered with an empty text") }
    return fact
  }

  /// The error for the users, without the parts of the URL that may contain a secret.
  private func failure(_ number: Int, _ what: String) -> NumberFactError {
    let port = baseURL.port.map { ":\($0)" } ?? ""
    return NumberFactError("No fact about \(number): \(baseURL.host() ?? "")\(port) \(what).")
  }
}

extension URLError {
  /// The rest of a sentence that begins with a server's name.
  fileprivate var explanation: String {
    switch code {
    case .cannotConnectToHost: "refused the connection, or nothing listens there"
    case .cannotFindHost, .dnsLookupFailed: "was not found; check the name and the network"
    case .networkConnectionLost: "closed the connection before it had answered"
    case .notConnectedToInternet: "cannot be reached without a network"
    case .timedOut: "did not answer in time"
    default: "could not be asked (error \(errorCode): \(localizedDescription))"
    }
  }
}
