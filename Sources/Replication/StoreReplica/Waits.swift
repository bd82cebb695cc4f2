package import StoreProtocol

/// The pending waits of a connection: each waiter is notified once of the end of its wait.
///
/// A wait ends when its condition is met, at its deadline, when it is canceled, or with
/// the connection.
@MainActor
struct Waits {
  typealias Body = @MainActor (Result<Void, WaitFailure>) -> Void

  private struct Entry {
    let condition: WaitCondition
    /// The time limit, from which a turn computes the deadline.
    let time: Duration?
    var deadline: Instant?
    let body: Body
  }

  /// Waits by their ids, which grow: waiters are notified in this order.
  private var entries: [WaitID: Entry] = [:]
  private var byCondition: [WaitCondition: Set<WaitID>] = [:]
  private var nextID: UInt64 = 1
  /// The waits that were added since the last turn.
  private var fresh: [WaitID] = []
  /// A lower bound of all deadlines.
  private(set) var earliest: Instant?

  mutating func add(
    _ condition: WaitCondition,
    within time: Duration?,
    _ body: @escaping Body,
  ) -> WaitID {
    let id = WaitID(number: nextID)
    nextID += 1
    entries[id] = Entry(condition: condition, time: time, body: body)
    byCondition[condition, default: []].insert(id)
    if time != nil { fresh.append(id) }
    return id
  }

  /// Sets the deadlines of waits that were added since the last turn.
  mutating func begin(at now: Instant) {
    guard !fresh.isEmpty else { return }
    for id in fresh {
      guard let time = entries[id]?.time else { continue }
      let deadline = now.advanced(by: time)
      entries[id]?.deadline = deadline
      earliest = min(earliest ?? deadline, deadline)
    }
    fresh = []
  }

  /// Removes the waits whose deadline has passed.
  mutating func takeDue(at now: Instant) -> [Body] {
    guard let earliest, earliest <= now else { return [] }
    let due = entries.filter { $0.value.deadline ?? .distantFuture <= now }.keys
    let bodies = take(Set(due))
    self.earliest = entries.values.lazy.compactMap(\.deadline).min()
    return bodies
  }

  /// Removes the waits for a condition.
  mutating func take(_ condition: WaitCondition) -> [Body] {
    byCondition[condition].map { take($0) } ?? []
  }

  /// Removes one wait; nil when it has ended.
  mutating func take(_ id: WaitID) -> Body? {
    guard let entry = entries.removeValue(forKey: id) else { return nil }
    byCondition[entry.condition]?.remove(id)
    if byCondition[entry.condition]?.isEmpty == true { byCondition[entry.condition] = nil }
    return entry.body
  }

  /// Removes all waits.
  mutating func takeAll() -> [Body] { take(Set(entries.keys)) }

  private mutating func take(_ ids: Set<WaitID>) -> [Body] {
    ids.sorted { $0.number < $1.number }.compactMap { take($0) }
  }
}

/// The id of a wait, by which it can be canceled.
package struct WaitID: Hashable, Sendable {
  fileprivate var number: UInt64
}

/// The condition of a wait.
package enum WaitCondition: Hashable, Sendable {
  /// A session is open.
  case connected
  /// The scope has shown a state, or its absence.
  case state(of: ObjectIdentifier)
  /// Only the time limit ends the wait.
  case time
}

/// Why a wait ended although its condition was not met.
package enum WaitFailure: Error, Hashable, Sendable {
  /// Its time is over, with whether a session was open.
  case timedOut(isConnected: Bool)
  /// Its time is over, and the daemon has ended the sessions meanwhile: the last one for
  /// this reason.
  case sessionEnded(code: String, message: String)
  /// The scope, or the session, was refused.
  case refused(JoinFailure)
  /// The scope has no state now.
  case absent
  /// The connection is closed, with the reason.
  case closed(String)
  /// The waiter canceled the wait, or the scope was left.
  case canceled
}

// MARK: - Waiting for a client

extension ReplicaClient {
  /// Waits for a condition of the connection.
  ///
  /// - Parameters:
  ///   - condition: The condition that ends the wait.
  ///   - time: The time limit, from the next turn on; nil for as long as the connection lives.
  ///   - body: Called once, with the result; at once if the condition is met or cannot be met.
  /// - Returns: The wait's id, for ``cancel(_:)``.
  @discardableResult
  package func wait(
    for condition: WaitCondition,
    within time: Duration?,
    _ body: @escaping @MainActor (Result<Void, WaitFailure>) -> Void,
  ) -> WaitID {
    let id = waits.add(condition, within: time, body)
    if let result = result(of: condition) {
      waits.take(id)?(result)
    } else {
      needTurn()
    }
    return id
  }

  /// Ends a wait with ``WaitFailure/canceled``; an ended wait is ignored.
  package func cancel(_ wait: WaitID) { waits.take(wait)?(.failure(.canceled)) }

  /// The result of a wait that begins now; nil when it has to wait.
  private func result(of condition: WaitCondition) -> Result<Void, WaitFailure>? {
    if case .closed(let failure) = phase { return .failure(failure) }
    switch condition {
    case .time: return nil
    case .connected: return isLive ? .success(()) : nil
    case .state(let id):
      guard let scope = scopes.first(where: { ObjectIdentifier($0) == id }) else {
        return .failure(.canceled)
      }
      if case .refused(let failure) = scope.status { return .failure(.refused(failure)) }
      return scope.hasShown ? shownResult(of: scope) : nil
    }
  }

  private func shownResult(of scope: ClientScope) -> Result<Void, WaitFailure> {
    scope.replica?.isShown == true ? .success(()) : .failure(.absent)
  }

  /// Ends the waits for a session.
  func sessionOpened() { end(waits.take(.connected), .success(())) }

  /// Ends the waits for a scope's first state.
  func firstStateShown(_ scope: ClientScope) {
    guard !scope.hasShown else { return }
    scope.hasShown = true
    end(waits.take(.state(of: ObjectIdentifier(scope))), shownResult(of: scope))
  }

  /// Ends the waits for a refused scope.
  func stateRefused(_ scope: ClientScope, _ failure: JoinFailure) {
    end(waits.take(.state(of: ObjectIdentifier(scope))), .failure(.refused(failure)))
  }

  func endDueWaits() {
    let failure =
      lastEnd.map { WaitFailure.sessionEnded(code: $0.code, message: $0.message) }
      ?? .timedOut(isConnected: isLive)
    end(waits.takeDue(at: now.instant), .failure(failure))
  }

  func endAllWaits(_ failure: WaitFailure) { end(waits.takeAll(), .failure(failure)) }

  private func end(_ bodies: [Waits.Body], _ result: Result<Void, WaitFailure>) {
    for body in bodies { body(result) }
  }
}
