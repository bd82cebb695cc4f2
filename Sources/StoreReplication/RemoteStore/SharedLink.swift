import Foundation
import StoreActor
import StoreState

/// One value that is shared with a daemon: what comes is taken over, what is changed here is sent.
///
/// There is one edit under way at most; those that are made meanwhile become one, which begins
/// where that led to.
@MainActor
final class SharedLink<Value: ReplicatedState>: SharedScope, SharedTakeover {
  private struct Edit {
    var value: Value
    var continuations: [SaveContinuation]
    /// The subscription of whoever made it.
    var number: Int

    func succeed() { for continuation in continuations { continuation.resume() } }

    func fail(_ failure: ActionFailure) {
      for continuation in continuations { continuation.resume(throwing: failure) }
    }
  }

  /// What threads that change the value find.
  private struct Inbox {
    /// The number of the last subscription.
    var number = 0
    /// Why no edits are taken; nil while they are.
    var refusal: ActionFailure?
    /// What was changed and not sent yet.
    var edit: Edit?
    var subscriber: SharedSubscriber<Value>?
    /// The daemon's value that was taken over last: edits were made of that.
    var base: Value?
  }

  private nonisolated let name: String
  nonisolated let scopes: ClientSharedScopes
  private nonisolated let inbox: LockIsolated<Inbox>
  private var scope: ClientScope?
  private var replica: TypedReplica<Value>?
  /// To what the copy of the scope shows and announces.
  private var subscriptions: [StoreSubscription] = []
  /// The edit that was sent and has no outcome yet.
  private var underWay: Edit?
  /// Whether nobody shares it any more, and edits are still to be sent.
  private var isClosing = false
  /// Those who wait for the first value.
  private var waiting: [Resumption<Value>] = []

  nonisolated init(_ name: String, of scopes: ClientSharedScopes) {
    self.name = name
    self.scopes = scopes
    inbox = LockIsolated(Inbox(refusal: .sharedNotLoaded(name)))
  }

  // MARK: What comes

  nonisolated func subscribe(_ subscriber: SharedSubscriber<Value>) -> SharedSubscription {
    subscriber.yieldLoading()
    let refusal = ActionFailure.sharedNotLoaded(name)
    let (number, edit) = inbox.withValue { inbox in
      let edit = inbox.edit
      inbox = Inbox(number: inbox.number + 1, refusal: refusal)
      inbox.subscriber = subscriber
      return (inbox.number, edit)
    }
    // Of somebody who has gone.
    edit?.fail(refusal)
    Task { @MainActor in self.open(number) }
    return SharedSubscription { Task { @MainActor in self.close(number) } }
  }

  private func open(_ number: Int) {
    // Unless it was ended meanwhile.
    guard inbox.value.number == number else { return }
    isClosing = false
    if let scope { scopes.client.release(scope) }
    let client = scopes.client
    (scope, replica) = client.open(name, Value.self, action: nil, placeholder: nil)
    guard let replica else { return }
    subscriptions = [
      replica.onShow.add { [weak self] in self?.note() },
      replica.onAnnounce.add { [weak self] in self?.announce() },
    ]
    // Somebody may have had the copy before.
    if replica.isShown { note() }
    announce()
  }

  private func note() { scopes.note(self) }

  private func announce() {
    scopes.takeOver()
    switch scope?.status {
    case .refused(let refusal): end(.sharedRefused(refusal.message))
    case .closed(let reason): end(.sharedRefused(reason))
    case .joining, .live, .stale, nil: break
    }
  }

  private func close(_ number: Int) {
    guard inbox.value.number == number else { return }
    // What was changed is sent all the same.
    isClosing = underWay != nil || inbox.value.edit != nil
    if isClosing { return }
    inbox.withValue { $0 = Inbox(number: number + 1, refusal: $0.refusal) }
    if let scope { scopes.client.release(scope) }
    (scope, replica, subscriptions) = (nil, nil, [])
  }

  private func closeIfDue() { if isClosing { close(inbox.value.number) } }

  /// The daemon's value; nil where none is shown.
  private var value: Value? { replica.flatMap { $0.isShown ? $0.shown : nil } }

  func takeOver() {
    guard underWay == nil, let subscriber = inbox.value.subscriber else { return }
    guard let value else { return end(.sharedAbsent(name)) }
    inbox.withValue { $0.refusal = nil }
    subscriber.yieldLoading(false)
    if subscriber.take(value) { inbox.withValue { $0.base = value } }
    let waiting = waiting
    self.waiting = []
    for one in waiting { one.resume(with: .success(value)) }
  }

  /// Nothing comes, for now or for ever, and no edits are taken.
  func end(_ failure: ActionFailure) {
    let edit = inbox.withValue { inbox in
      inbox.refusal = failure
      defer { inbox.edit = nil }
      return inbox.edit
    }
    edit?.fail(failure)
    let subscriber = inbox.value.subscriber
    subscriber?.yieldLoading(false)
    subscriber?.yield(throwing: failure)
    let waiting = waiting
    self.waiting = []
    for one in waiting { one.resume(with: .failure(failure)) }
  }

  // MARK: What is changed here

  nonisolated func save(_ value: Value, _ continuation: SaveContinuation) {
    let inbox = inbox.withValue { inbox in
      if inbox.refusal == nil {
        let others = inbox.edit?.continuations ?? []
        inbox.edit = Edit(
          value: value,
          continuations: others + [continuation],
          number: inbox.number,
        )
      }
      return inbox
    }
    guard let refusal = inbox.refusal else {
      Task { @MainActor in
        self.sendNext()
        self.closeIfDue()
      }
      return
    }
    continuation.resume(throwing: refusal)
    inbox.subscriber?.yield(with: .success(inbox.base))
  }

  private func sendNext() {
    guard underWay == nil, let edit = takeEdit() else { return }
    guard let base = inbox.value.base, scope?.translation == nil else {
      edit.fail(.sharedUnreadable(name))
      return takeOver()
    }
    guard let delta = edit.value.delta(from: base) else {
      edit.succeed()
      return takeOver()
    }
    underWay = edit
    send(delta, from: base) { self.settle($0) }
  }

  private func takeEdit() -> Edit? {
    inbox.withValue { inbox in
      defer { inbox.edit = nil }
      return inbox.edit
    }
  }

  private func send(
    _ delta: [UInt8],
    from base: Value,
    then finish: @escaping @MainActor (Outcome) -> Void,
  ) {
    guard let scope else { preconditionFailure("\(name) was shown before it was joined") }
    let edit = SharedEdit.edited(base: base.digest.rawValue, delta: Data(delta))
    do throws(CodecError) {
      let client = scopes.client
      client.submit(try edit.encoded(), to: scope, timeToLive: client.actionTimeToLive)
        .whenSettled(finish)
    } catch {
      preconditionFailure("Every edit can be sent: \(error)")
    }
  }

  /// The edit under way has its outcome, and what it led to is shown.
  private func settle(_ outcome: Outcome) {
    guard let edit = underWay else { return }
    underWay = nil
    switch outcome {
    case .applied:
      inbox.withValue { if $0.number == edit.number { $0.base = edit.value } }
      edit.succeed()
    case .failed(let failure):
      let failure = ActionFailure(failure)
      edit.fail(failure)
      // What was made of it.
      takeEdit()?.fail(failure)
    }
    takeOver()
    sendNext()
    closeIfDue()
  }

  // MARK: Whoever waits

  nonisolated func load(_ continuation: LoadContinuation<Value>) {
    Task { @MainActor in
      do {
        continuation.resume(returning: try await self.firstValue())
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func firstValue() async throws -> Value {
    if let value { return value }
    let refusal = inbox.value.refusal
    if let refusal, refusal.code != .notSent { throw refusal }
    return try await Resumption<Value>().value { waiting.append($0) }
  }

  nonisolated func update(
    _ operation: @escaping @Sendable (inout Value) throws -> Void
  ) async throws {
    try await updateHere(operation)
  }

  private func updateHere(_ operation: (inout Value) throws -> Void) async throws {
    while true {
      let base = try await firstValue()
      if scope?.translation != nil { throw ActionFailure.sharedUnreadable(name) }
      var new = base
      try operation(&new)
      guard let delta = new.delta(from: base) else { return }
      let outcome = try await Resumption<Outcome>().value { resumption in
        send(delta, from: base) { resumption.resume(with: .success($0)) }
      }
      guard case .failed(let failure) = outcome else { return }
      if failure.code != Outcome.conflict { throw ActionFailure(failure) }
    }
  }
}

extension ActionFailure {
  fileprivate static func sharedNotLoaded(_ name: String) -> Self {
    Self(
      code: .notSent,
      message: "The shared value \"\(name)\" has not come from the daemon yet.",
      remedy: "Change it once it is not loading any more, or with \"update\", which waits.",
    )
  }

  fileprivate static func sharedAbsent(_ name: String) -> Self {
    Self(
      code: .absent,
      message: "The daemon's scope \"\(name)\" is absent now.",
      remedy: "Let the daemon expose a value that is always there.",
    )
  }

  fileprivate static func sharedUnreadable(_ name: String) -> Self {
    Self(
      code: .rejected,
      message: "The daemon's build has another form of the shared value \"\(name)\".",
      remedy: "It can be read. To change it, let both be of one build.",
    )
  }

  fileprivate static func sharedRefused(_ reason: String) -> Self {
    Self(code: .rejected, message: reason, remedy: "The value stays what it last was.")
  }
}
