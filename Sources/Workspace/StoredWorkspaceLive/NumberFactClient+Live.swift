import StoreActor
package import StoredWorkspace

extension NumberFactClient {
  /// The service that is asked for facts unless a program says otherwise.
  package static let defaultBaseURL = "https://numbersapi.com"

  /// A client that asks a web service: `GET <base>/<number>`, answered by 200 and a text.
  ///
  /// Redirects to another service are not followed. At most ten requests leave at once, and two a
  /// second from then on, and half as many of what one program or one key has begun: further ones
  /// fail without being sent.
  ///
  /// Every other answer, and one of more than 64 KiB, is a ``NumberFactError``; a cancelled request
  /// throws `CancellationError`.
  ///
  /// - Parameters:
  ///   - baseURL: The service, an http or https URL.
  ///   - timeout: How long one answer may take, from the request to its last byte.
  ///   - clock: What measures the timeout.
  /// - Returns: The client.
  /// - Throws: A `NumberFactError` when the base is no URL that can be asked.
  package static func live(
    baseURL: String = defaultBaseURL,
    timeout: Duration = .seconds(5),
    clock: some Clock<Duration> = ContinuousClock(),
  ) throws(NumberFactError) -> NumberFactClient {
    let service = try FactService(baseURL: baseURL, timeout: timeout, clock: clock)
    return NumberFactClient { try await service.fact(about: $0) }
  }
}

extension NumberFactClient: DependencyKey {
  /// Asks the default service.
  package static let liveValue: NumberFactClient = {
    do throws(NumberFactError) {
      return try live()
    } catch {
      preconditionFailure("The default base URL \(defaultBaseURL) is wrong: \(error)")
    }
  }()
}
