import StoreActor
package import StoredWorkspace

extension NumberFactClient {
  /// The service that answers requests by default.
  package static let defaultBaseURL = "https://numbersapi.com"

  /// A client of a web service: `GET <base>/<number>`, answered by 200 and a text.
  ///
  /// It does not follow redirects to another service. At most ten requests leave at once, then two
  /// a second; one program or one key gets half of each. Further requests fail without being sent.
  ///
  /// Every other answer, and one of more than 64 KiB, is a ``NumberFactError``; a canceled request
  /// throws `CancellationError`.
  ///
  /// - Parameters:
  ///   - baseURL: The service, an http or https URL.
  ///   - timeout: The time limit of an answer, from the request to its last byte.
  ///   - clock: The clock of the timeout.
  /// - Returns: The client.
  /// - Throws: A `NumberFactError` if the base is not a valid http or https URL.
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
  /// A client of the default service.
  package static let liveValue: NumberFactClient = {
    do throws(NumberFactError) {
      return try live()
    } catch {
      preconditionFailure("The default base URL \(defaultBaseURL) is wrong: \(error)")
    }
  }()
}
