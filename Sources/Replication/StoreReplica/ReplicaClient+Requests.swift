package import GenericState
package import StoreProtocol
package import StoreState

extension ReplicaClient {
  /// A request without an answer yet.
  struct Request {
    let message: ClientMessage
    let body: @MainActor (Result<ArraySlice<UInt8>, CodecError>) -> Void
  }

  /// Requests the descriptions of the exposed scopes.
  package func describe(
    _ body: @escaping @MainActor (Result<[ScopeDescription], CodecError>) -> Void
  ) {
    request {
      .describe(request: $0)
    } body: { answer in
      do throws(CodecError) {
        let item = try answer.get()
        var decoder = CBORDecoder(item)
        let list = try decoder.list { (d) throws(CodecError) in try ScopeDescription(from: &d) }
        body(.success(list))
      } catch {
        body(.failure(error))
      }
    }
  }

  /// Requests the daemon's status.
  package func status(_ body: @escaping @MainActor (Result<GenericValue, CodecError>) -> Void) {
    request {
      .status(request: $0)
    } body: { answer in
      do throws(CodecError) {
        body(.success(try GenericValue(encoded: try answer.get())))
      } catch {
        body(.failure(error))
      }
    }
  }

  /// Requests a part of the daemon's history.
  package func history(
    _ query: HistoryQuery,
    _ body: @escaping @MainActor (Result<HistoryAnswer, CodecError>) -> Void,
  ) {
    request {
      .history(request: $0, query)
    } body: { answer in
      do throws(CodecError) {
        var decoder = CBORDecoder(try answer.get())
        let answer = try HistoryAnswer(from: &decoder)
        try decoder.finish()
        body(.success(answer))
      } catch {
        body(.failure(error))
      }
    }
  }

  /// Sends a command for keys.
  package func keys(
    _ command: KeyCommand,
    _ body: @escaping @MainActor (Result<KeyAnswer, CodecError>) -> Void,
  ) {
    request {
      .keys(request: $0, command)
    } body: { answer in
      do throws(CodecError) {
        var decoder = CBORDecoder(try answer.get())
        let answer = try KeyAnswer(from: &decoder)
        try decoder.finish()
        body(.success(answer))
      } catch {
        body(.failure(error))
      }
    }
  }

  /// Requests the rows whose ids begin with a text.
  package func rows(
    _ query: RowQuery,
    _ body: @escaping @MainActor (Result<RowAnswer, CodecError>) -> Void,
  ) {
    request {
      .rows(request: $0, query)
    } body: { answer in
      do throws(CodecError) {
        var decoder = CBORDecoder(try answer.get())
        let answer = try RowAnswer(from: &decoder)
        try decoder.finish()
        body(.success(answer))
      } catch {
        body(.failure(error))
      }
    }
  }

  /// Lists or cancels schedules.
  package func schedules(
    _ query: ScheduleQuery,
    _ body: @escaping @MainActor (Result<ScheduleAnswer, CodecError>) -> Void,
  ) {
    request {
      .schedules(request: $0, query)
    } body: { answer in
      do throws(CodecError) {
        var decoder = CBORDecoder(try answer.get())
        let answer = try ScheduleAnswer(from: &decoder)
        try decoder.finish()
        body(.success(answer))
      } catch {
        body(.failure(error))
      }
    }
  }

  private func request(
    _ message: (UInt64) -> ClientMessage,
    body: @escaping @MainActor (Result<ArraySlice<UInt8>, CodecError>) -> Void,
  ) {
    let number = nextRequest
    nextRequest += 1
    let request = Request(message: message(number), body: body)
    switch phase {
    case .greeting, .live:
      requests[number] = request
      send(request.message)
      needTurn()
    // The request is sent with the next hello.
    case .offline: requests[number] = request
    case .closed: body(.failure(Self.closedError))
    }
  }

  func answered(_ number: UInt64, _ item: ArraySlice<UInt8>) {
    requests.removeValue(forKey: number)?.body(.success(item))
  }

  private static let closedError = CodecError(
    .truncated,
    "the connection was closed before an answer arrived",
  )

  /// Fails all requests, because no answer will arrive.
  func failRequests() {
    let asked = requests.sorted { $0.key < $1.key }
    requests = [:]
    for (_, request) in asked { request.body(.failure(Self.closedError)) }
  }

  /// Sends the requests without an answer again.
  func resendRequests() {
    for (_, request) in requests.sorted(by: { $0.key < $1.key }) { send(request.message) }
  }
}
