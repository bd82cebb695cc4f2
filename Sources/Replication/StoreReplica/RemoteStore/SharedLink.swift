import Foundation
import StoreActor
import StoreProtocol
import StoreState

/// One value that is shared with a daemon: its changes are applied here, and local changes
/// are sent.
///
/// At most one edit or update is in progress. Edits that are made meanwhile are combined into one,
/// which starts from the result of the previous one. Updates are sent after edits.
@MainActor
final class SharedLink<Value: ReplicatedState>: SharedScope, SharedTakeover {
  private struct Edit {
    var value: Value
    var continuations: [SaveContinuation]
    /// The subscription that made the edit.
    var number: Int
    /// The deadline; nil before a turn has set it, and without a limit.
    var end: Instant?

    func succeed() { for continuation in continuations { continuation.resume() } }

    func fail(_ failure: ActionFailure) {
      for continuation in continuations { continuation.resume(throwing: failure) }
    }
  }

  private struct Update {
    let operation: (inout Value) throws -> Void
    let resumption: Resumption<Void>
    /// The deadline; nil before a turn has set it, and without a limit.
    var end: Instant?
    /// How often others changed the value first.
    var conflicts = 0

    @MainActor
    func finish(_ result: Result<Void, any Error>) { resumption.resume(with: result) }
  }

  /// A change that was sent, with the daemon's value before and after it.
  private struct Change {
    enum Kind {
      case edit(Edit)
      case update(Update)
    }

    let kind: Kind
    let old: Value
    let new: Value
  }

  /// The values from which edits start.
  private struct Base {
    /// The value from which the subscriber makes its edits.
    var seen: Value
    /// The daemon's value, which may include changes that this client made after `seen`.
    var daemon: Value

    init(_ value: Value) { self.init(seen: value, daemon: value) }

    init(seen: Value, daemon: Value) {
      self.seen = seen
      self.daemon = daemon
    }
  }

  /// The state that threads share when they change the value; guarded by a lock.
  private struct Inbox {
    /// The number of the last subscription.
    var number = 0
    /// Why edits are refused; nil while they are accepted.
    var refusal: ActionFailure?
    /// The edit that was not sent yet.
    var edit: Edit?
    /// Nil while the value has no subscriber.
    var subscriber: SharedSubscriber<Value>?
    /// Nil before the daemon's first value.
    var base: Base?

    /// Whether the unsent edit belongs to an earlier subscription.
    var hasLeftover: Bool { edit.map { $0.number != number } ?? false }
  }

  private nonisolated let name: String
  nonisolated let scopes: ClientSharedScopes
  private nonisolated let inbox: LockIsolated<Inbox>
  private var scope: ClientScope?
  private var replica: TypedReplica<Value>?
  /// The subscriptions to the replica's `onShow` and `onAnnounce`.
  private var subscriptions: [StoreSubscription] = []
  /// Whether the copy shows the daemon's state, or that the daemon has no state.
  private var isKnown = false
  /// The change that was sent and has no outcome yet.
  private var underWay: Change?
  /// The updates that are sent after the edits.
  private var updates: [Update] = []
  /// The number of updates that wait for their next attempt.
  private var resting = 0
  /// The waiters for the first value.
  private var waiting: [Resumption<Value>] = []

  nonisolated init(_ name: String, of scopes: ClientSharedScopes) {
    self.name = name
    self.scopes = scopes
    inbox = LockIsolated(Inbox(refusal: .sharedNotLoaded(name)))
  }

  // MARK: Values from the daemon

  nonisolated func subscribe(_ subscriber: SharedSubscriber<Value>) -> SharedSubscription {
    subscriber.yieldLoading()
    let number = inbox.withValue { inbox in
      inbox.number += 1
      inbox.refusal = .sharedNotLoaded(name)
      inbox.subscriber = subscriber
      return inbox.number
    }
    Task { @MainActor in self.open(number) }
    return SharedSubscription { Task { @MainActor in self.close(number) } }
  }

  private func open(_ number: Int) {
    // The subscription may have ended meanwhile.
    guard inbox.value.number == number, inbox.value.subscriber != nil else { return }
    follow()
    // Another holder may have opened the copy before, so it may show a value already.
    note()
    announce()
  }

  /// Opens the scope, in place of the former one, and observes its replica.
  private func follow() {
    let client = scopes.client
    if let scope { client.release(scope) }
    let (scope, replica): (ClientScope, TypedReplica<Value>) =
      client.open(name, Value.self, action: nil, placeholder: nil)
    (self.scope, self.replica) = (scope, replica)
    isKnown = replica.isShown || scope.hasShown
    subscriptions = [
      replica.onShow.add { [weak self] in
        self?.isKnown = true
        self?.note()
      },
      replica.onAnnounce.add { [weak self] in self?.announce() },
    ]
  }

  private func note() { scopes.note(self) }

  private func announce() {
    scopes.takeOver()
    if let absence { end(absence) }
  }

  private func close(_ number: Int) {
    inbox.withValue { inbox in
      guard inbox.number == number else { return }
      inbox.subscriber = nil
      inbox.refusal = .sharedNotLoaded(name)
    }
    leaveIfUnused()
  }

  /// Leaves the scope when it has no subscriber and no waiter, and all changes have their outcomes.
  private func leaveIfUnused() {
    waiting.removeAll { !$0.isWaiting }
    let inbox = inbox.value
    guard inbox.subscriber == nil, inbox.edit == nil, underWay == nil, updates.isEmpty,
      resting == 0, waiting.isEmpty, let scope
    else { return }
    scopes.client.release(scope)
    (self.scope, replica, subscriptions, isKnown) = (nil, nil, [], false)
  }

  /// The daemon's value; nil unless it is shown.
  private var value: Value? { replica.flatMap { $0.isShown ? $0.shown : nil } }

  /// Why there is no value; nil if there is one, or one may still arrive.
  private var absence: ActionFailure? {
    switch scope?.status {
    case .refused(let refusal): .sharedRefused(refusal.message)
    case .closed(let reason): .sharedRefused(reason)
    case .joining, .live, .stale: isKnown && value == nil ? .sharedAbsent(name) : nil
    case nil: nil
    }
  }

  func takeOver() {
    if let absence { return end(absence) }
    guard let value else { return }
    let waiting = waiting
    self.waiting = []
    for one in waiting { one.resume(with: .success(value)) }
    // The edit under way was made from the value that was taken over last.
    if case .edit = underWay?.kind { return }
    let inbox = inbox.value
    guard !inbox.hasLeftover, let subscriber = inbox.subscriber, subscriber.take(value) else {
      return
    }
    self.inbox.withValue { inbox in
      inbox.base = Base(value)
      inbox.refusal = nil
    }
    subscriber.yieldLoading(false)
  }

  /// Ends the value, for now or permanently: fails edits, updates and waiters, and refuses edits.
  private func end(_ failure: ActionFailure) {
    if case .refused = scope?.status { isKnown = false }
    let inbox = inbox.withValue { inbox in
      inbox.refusal = failure
      defer { inbox.edit = nil }
      return inbox
    }
    inbox.edit?.fail(failure)
    if let subscriber = inbox.subscriber {
      subscriber.yieldLoading(false)
      // The daemon's last value replaces the local edit.
      subscriber.yield(with: .success(inbox.base?.daemon))
      subscriber.yield(throwing: failure)
    }
    let (waiting, updates) = (waiting, updates)
    (self.waiting, self.updates) = ([], [])
    for one in waiting { one.resume(with: .failure(failure)) }
    for update in updates { update.finish(.failure(failure)) }
  }

  // MARK: Local changes

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
    if let refusal = inbox.refusal {
      continuation.resume(throwing: refusal)
      inbox.subscriber?.yield(with: .success(inbox.base?.daemon))
    }
    Task { @MainActor in
      // Values that arrived during the refusal were not taken over.
      if inbox.refusal != nil { self.takeOver() }
      self.beginTime()
      self.sendNext()
      self.leaveIfUnused()
    }
  }

  /// Sets the deadlines of unsent edits and updates in the next turn.
  private func beginTime() {
    scopes.client.atNextTurn { [weak self] in self?.beginTime(at: $0) }
  }

  private func beginTime(at now: Instant) {
    guard let time = scopes.client.actionTimeToLive else { return }
    let end = now.advanced(by: time)
    inbox.withValue { if $0.edit?.end == nil { $0.edit?.end = end } }
    for index in updates.indices where updates[index].end == nil { updates[index].end = end }
  }

  private func sendNext() {
    while underWay == nil {
      if let edit = takeEdit() {
        send(edit)
      } else if !updates.isEmpty {
        send(updates.removeFirst())
      } else {
        return
      }
    }
  }

  private func takeEdit() -> Edit? {
    inbox.withValue { inbox in
      defer { inbox.edit = nil }
      return inbox.edit
    }
  }

  private func send(_ edit: Edit) {
    guard let base = inbox.value.base, scope?.translation == nil else {
      edit.fail(.sharedUnreadable(name))
      return takeOver()
    }
    // An edit that cannot be moved is sent with the value that was seen as its base. The daemon
    // refuses it, because its own value differs.
    let moved = Self.move(edit.value, from: base)
    let (old, new) = moved.map { (base.daemon, $0) } ?? (base.seen, edit.value)
    guard let delta = new.delta(from: old) else {
      edit.succeed()
      return takeOver()
    }
    let time = rest(until: edit.end)
    if let time, time <= .zero {
      edit.fail(.sharedExpired(name))
      return takeOver()
    }
    submit(Change(kind: .edit(edit), old: old, new: new), delta, timeToLive: time)
  }

  /// Moves an edit from the value that was seen to the daemon's value; nil if the edit conflicts
  /// with changes that this client has made there since.
  private static func move(_ value: Value, from base: Base) -> Value? {
    guard let other = base.daemon.delta(from: base.seen) else { return value }
    guard let own = value.delta(from: base.seen) else { return base.daemon }
    do throws(CodecError) {
      let moved = try base.daemon.applying(delta: own)
      // The two changes must lead to the same value in either order. Otherwise the edit would undo
      // a part of the other change.
      return moved._$isSame(as: try value.applying(delta: other)) ? moved : nil
    } catch {
      // One change has removed a part that the other one changes.
      return nil
    }
  }

  private func send(_ update: Update) {
    guard update.resumption.isWaiting else { return }
    guard let base = value else { return update.finish(.failure(ActionFailure.sharedAbsent(name))) }
    if scope?.translation != nil {
      return update.finish(.failure(ActionFailure.sharedUnreadable(name)))
    }
    let time = rest(until: update.end)
    if let time, time <= .zero {
      return update.finish(.failure(ActionFailure.sharedExpired(name)))
    }
    do {
      var new = base
      try update.operation(&new)
      guard let delta = new.delta(from: base) else { return update.finish(.success(())) }
      submit(Change(kind: .update(update), old: base, new: new), delta, timeToLive: time)
    } catch {
      update.finish(.failure(error))
    }
  }

  /// The remaining time of a change; nil without a limit.
  private func rest(until end: Instant?) -> Duration? {
    let client = scopes.client
    return end.map { client.now.instant.duration(to: $0) } ?? client.actionTimeToLive
  }

  private func submit(_ change: Change, _ delta: [UInt8], timeToLive time: Duration?) {
    guard let scope else { preconditionFailure("\(name) was shown before it was joined") }
    let edit = SharedEdit.edited(base: change.old._$digest.rawValue, delta: Data(delta))
    underWay = change
    do throws(CodecError) {
      scopes.client.submit(try edit.encoded(), to: scope, timeToLive: time)
        .whenSettled { self.settle($0) }
    } catch {
      preconditionFailure("Every edit can be sent: \(error)")
    }
  }

  /// Settles the change under way; the state that it led to is shown.
  private func settle(_ outcome: Outcome) {
    guard let change = underWay else { return }
    underWay = nil
    if outcome.applied != nil { moveBase(by: change) }
    switch change.kind {
    case .edit(let edit): settle(edit, outcome)
    case .update(let update): settle(update, outcome)
    }
    takeOver()
    sendNext()
    leaveIfUnused()
  }

  /// Makes the result of an applied change the base of later edits.
  private func moveBase(by change: Change) {
    // Otherwise another client has changed the value, and edits of the former value are refused.
    guard var base = inbox.value.base, base.daemon._$isSame(as: change.old) else { return }
    base.daemon = change.new
    if case .edit(let edit) = change.kind { base.seen = edit.value }
    inbox.withValue { [base] in $0.base = base }
  }

  private func settle(_ edit: Edit, _ outcome: Outcome) {
    switch outcome {
    case .applied, .replied: edit.succeed()
    case .failed(let failure):
      edit.fail(ActionFailure(failure))
      // The edit has certainly not run, so the edit after it still starts from the same value.
      if [Outcome.expired, Outcome.notSent].contains(failure.code) { return }
      takeEdit()?.fail(ActionFailure(failure))
    }
  }

  private func settle(_ update: Update, _ outcome: Outcome) {
    switch outcome {
    case .applied, .replied: update.finish(.success(()))
    case .failed(let failure) where failure.code == Outcome.conflict: retry(update)
    case .failed(let failure): update.finish(.failure(ActionFailure(failure)))
    }
  }

  /// Retries an update after a conflict: at once after the first one, then after a delay that
  /// doubles, up to ``UpdateRetries/most`` attempts.
  private func retry(_ update: Update) {
    var update = update
    update.conflicts += 1
    guard update.conflicts < UpdateRetries.most else {
      return update.finish(.failure(ActionFailure.sharedContested(name)))
    }
    guard let rest = UpdateRetries.rest(after: update.conflicts) else {
      return updates.insert(update, at: 0)
    }
    resting += 1
    let client = scopes.client
    client.wait(for: .time, within: client.jittered(rest)) { [weak self, update] result in
      guard let self else { return update.finish(.failure(CancellationError())) }
      resting -= 1
      if case .failure(.closed(let reason)) = result {
        update.finish(.failure(ActionFailure.sharedRefused(reason)))
      } else {
        updates.insert(update, at: 0)
        sendNext()
      }
      leaveIfUnused()
    }
  }

  // MARK: Waiters

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
    // The value may have no subscriber yet.
    if scope == nil { follow() }
    defer { leaveIfUnused() }
    if let value { return value }
    if let absence { throw absence }
    return try await Resumption<Value>().value { waiting.append($0) }
  }

  nonisolated func update(
    _ operation: @escaping @Sendable (inout Value) throws -> Void
  ) async throws {
    try await updateHere(operation)
  }

  private func updateHere(
    _ operation: @escaping @Sendable (inout Value) throws -> Void
  ) async throws {
    _ = try await firstValue()
    try await Resumption<Void>().value { resumption in
      updates.append(Update(operation: operation, resumption: resumption))
      beginTime()
      sendNext()
    }
  }
}

/// The number of attempts for an update that conflicts each time, and the delays between them:
/// about ten seconds in all.
private enum UpdateRetries {
  /// The most attempts.
  static let most = 16

  /// The delay after a number of conflicts; nil for no delay.
  static func rest(after conflicts: Int) -> Duration? {
    conflicts < 2 ? nil : min(.milliseconds(10 << (conflicts - 2)), .seconds(1))
  }
}

extension ActionFailure {
  fileprivate static func sharedContested(_ name: String) -> Self {
    Self(
      code: .conflict,
      message: "The shared value \"\(name)\" was changed by others each of the "
        + "\(UpdateRetries.most) times that the update was tried.",
      remedy: "Update it again later, or send an action whose reducer changes it in the daemon.",
    )
  }

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

  fileprivate static func sharedExpired(_ name: String) -> Self {
    Self(
      code: .expired,
      message: "The time of the change of \"\(name)\" was over before it could be sent.",
      remedy: "Make it again when the daemon is there.",
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
    Self(code: .rejected, message: reason, remedy: "The value stays unchanged.")
  }
}
