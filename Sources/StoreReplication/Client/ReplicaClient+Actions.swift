package import StoreState

extension ReplicaClient {
  /// Accepts an action for a scope; it goes out at the end of the turn.
  ///
  /// - Parameter deadline: Milliseconds since 1970 after which it must not run any more.
  package func submit(
    _ action: [UInt8],
    to scope: ClientScope,
    deadline: UInt64? = nil,
  ) -> ActionTicket {
    let ticket = ActionTicket(scope: scope, action: action, deadline: deadline)
    if phase == .closed {
      fail(ticket, "disconnected", "The connection is closed.")
    } else if ActionTicket.frameBytes(action) + Self.frameHeaderBytes > limits.frameBytes {
      // The daemon would close the connection on such a frame, again and again.
      fail(
        ticket,
        Outcome.rejected,
        "The action has \(action.count) bytes, and a frame no more than \(limits.frameBytes).",
      )
    } else if actions.count >= limits.queuedActions {
      fail(
        ticket,
        Outcome.overloaded,
        "\(actions.count) actions wait for the daemon already; try again when some are done.",
      )
    } else {
      actions.append(ticket)
    }
    return ticket
  }

  /// The most bytes that a frame of actions has before the first.
  private static let frameHeaderBytes = 20

  /// Cancels the effects of an action, now or as soon as the daemon has it.
  package func cancel(_ ticket: ActionTicket) {
    ticket.markCancelled()
    guard let sequence = ticket.sequence, phase == .live else { return }
    // Behind the action on the same connection, so the daemon has it by then.
    send(.cancel(sequence: sequence))
  }

  func sendActions() {
    guard actions.hasUnsent, let session, phase == .live else { return }
    failHopeless()
    while let batch = actions.nextBatch(
      window: session.window,
      bytes: min(session.frameBytes / 2, 1 << 18),
      isSendable: { $0.scope.handle != nil },
    ) {
      send(
        .actions(
          first: batch.first,
          batch.tickets.map {
            // A scope that the daemon no longer has gets a handle that it refuses by name: the
            // sequence has to advance all the same.
            ClientMessage.ActionRequest(
              handle: $0.scope.handle ?? 0,
              action: $0.action[...],
              deadline: $0.deadline,
            )
          },
        )
      )
      for ticket in batch.tickets where ticket.isCancelled { cancel(ticket) }
    }
  }

  /// Fails those waiting that will never be sent: their time is over, or their scope refused.
  private func failHopeless() {
    let time = now.wallMilliseconds
    for ticket in actions.removeWaiting(where: { $0.deadline ?? .max < time }) {
      fail(ticket, Outcome.expired, "Its deadline came before it could be sent.")
    }
    for ticket in actions.removeWaiting(where: {
      if case .refused = $0.scope.status { true } else { false }
    }) {
      guard case .refused(let failure) = ticket.scope.status else { continue }
      fail(ticket, Outcome.rejected, failure.message)
    }
  }

  private func fail(_ ticket: ActionTicket, _ code: String, _ message: String) {
    ticket.settle(.failed(Outcome.Failure(code: code, message: message)))
  }

  /// Settles the actions that the local state includes by now.
  func settleActions() {
    let current = view.map { ($0.nonce, $0.sequence) }
    let isJoining = joining != nil
    let tickets = actions.takeReached { reach in
      guard reach.nonce > 0, let (nonce, sequence) = current else {
        return reach.nonce == 0 || !isJoining
      }
      return reach.nonce < nonce || (reach.nonce == nonce && reach.sequence <= sequence)
    }
    for ticket in tickets {
      guard let outcome = ticket.decided else { continue }
      if case .applied(_, hasEffects: true) = outcome, let sequence = ticket.sequence {
        runningEffects[sequence] = ticket
      }
      ticket.settle(outcome)
    }
  }

  /// Asks what is exposed.
  package func describe(
    _ body: @escaping @MainActor (Result<[ScopeDescription], CodecError>) -> Void
  ) {
    request {
      .describe(request: $0)
    } body: { item in
      do throws(CodecError) {
        var decoder = CBORDecoder(item)
        let list = try decoder.list { (d) throws(CodecError) in try ScopeDescription(from: &d) }
        body(.success(list))
      } catch {
        body(.failure(error))
      }
    }
  }

  /// Asks how the daemon is.
  package func status(_ body: @escaping @MainActor (Result<GenericValue, CodecError>) -> Void) {
    request {
      .status(request: $0)
    } body: { item in
      do throws(CodecError) {
        body(.success(try GenericValue(encoded: item)))
      } catch {
        body(.failure(error))
      }
    }
  }

  private func request(
    _ message: (UInt64) -> ClientMessage,
    body: @escaping @MainActor (ArraySlice<UInt8>) -> Void,
  ) {
    let number = nextRequest
    nextRequest += 1
    let request = Request(message: message(number), body: body)
    requests[number] = request
    switch phase {
    case .greeting, .live: send(request.message)
    // It goes out with the next hello.
    case .offline, .closed: break
    }
  }

  /// Asks again what was asked on a connection that is no more.
  func resendRequests() {
    for (_, request) in requests.sorted(by: { $0.key < $1.key }) { send(request.message) }
  }
}
