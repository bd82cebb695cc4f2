import Foundation
import StoreActor
import StoreProtocol
import StoreState

/// One value that is shared with a daemon: its changes are applied here, and local changes are
/// sent.
///
/// At most one edit or update is in progress. Edits that are made meanwhile are combined into one
/// that starts from the result of the previous one; updates follow it.
@MainActor
final class SharedLink<Value: ReplicatedState>: SharedScope, SharedTakeover {
  private struct Edit {
    var value: Value
    var continuations: [SaveContinuation]
    /// The subscription of whoever made it.
    var number: Int
    /// The end of its time, as far as that is known.
    var end: Instant?

    func succeed() { for continuation in continuations { continuation.resume() } }

    func fail(_ failure: ActionFailure) {
      for continuation in continuations { continuation.resume(throwing: failure) }
    }
  }

  private struct Update {
    let operation: (inout Value) throws -> Void
    let resumption: Resumption<Void>
    /// The end of its time, as far as that is known.
    var end: Instant?
    /// How often others changed the value first.
    var conflicts = 0

    @MainActor
    func finish(_ result: Result<Void, any Error>) { resumption.resume(with: result) }
  }

  /// What was sent, with the daemon's value before it and behind it.
  private struct Change {
    enum Kind {
      case edit(Edit)
      case update(Update)
    }

    let kind: Kind
    let old: Value
    let new: Value
  }

  /// Where edits begin.
  private struct Base {
    /// What they are made of.
    var seen: Value
    /// The daemon's value, which may have what this client has changed since that was seen.
    var daemon: Value

    init(_ value: Value) { self.init(seen: value, daemon: value) }

    init(seen: Value, daemon: Value) {
      self.seen = seen
      self.daemon = daemon
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
    /// Nil while nobody shares it.
    var subscriber: SharedSubscriber<Value>?
    /// Nil before the daemon's first value.
    var base: Base?

    /// Whether what was not sent yet is of somebody who has gone.
    var hasLeftover: Bool { edit.map { $0.number != number } ?? false }
  }

  private nonisolated let name: String
  nonisolated let scopes: ClientSharedScopes
  private nonisolated let inbox: LockIsolated<Inbox>
  private var scope: ClientScope?
  private var replica: TypedReplica<Value>?
  /// To what the copy of the scope shows and announces.
  private var subscriptions: [StoreSubscription] = []
  /// Whether the copy shows what the daemon has, be it that there is none.
  private var isKnown = false
  /// What was sent and has no outcome yet.
  private var underWay: Change?
  /// What is to be sent behind the edits.
  private var updates: [Update] = []
  /// How many of them wait before they are tried again.
  private var resting = 0
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
    // Unless it was ended meanwhile.
    guard inbox.value.number == number, inbox.value.subscriber != nil else { return }
    follow()
    // Somebody may have had the copy before.
    note()
    announce()
  }

  /// Follows the scope, another one where that has ended.
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

  /// Leaves the scope when nobody shares the value, and all that was changed was sent.
  private func leaveIfUnused() {
    waiting.removeAll { !$0.isWaiting }
    let inbox = inbox.value
    guard inbox.subscriber == nil, inbox.edit == nil, underWay == nil, updates.isEmpty,
      resting == 0, waiting.isEmpty, let scope
    else { return }
    scopes.client.release(scope)
    (self.scope, replica, subscriptions, isKnown) = (nil, nil, [], false)
  }

  /// The daemon's value; nil where none is shown.
  private var value: Value? { replica.flatMap { $0.isShown ? $0.shown : nil } }

  /// Why there is no value; nil where there is one, or one may be on its way.
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
    // What is not settled yet was made of what was taken over last.
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

  /// Nothing comes, for now or for ever, and no edits are taken.
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
      // In the place of what was changed here.
      subscriber.yield(with: .success(inbox.base?.daemon))
      subscriber.yield(throwing: failure)
    }
    let (waiting, updates) = (waiting, updates)
    (self.waiting, self.updates) = ([], [])
    for one in waiting { one.resume(with: .failure(failure)) }
    for update in updates { update.finish(.failure(failure)) }
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
    if let refusal = inbox.refusal {
      continuation.resume(throwing: refusal)
      inbox.subscriber?.yield(with: .success(inbox.base?.daemon))
    }
    Task { @MainActor in
      // What has come while it was refused was not taken.
      if inbox.refusal != nil { self.takeOver() }
      self.beginTime()
      self.sendNext()
      self.leaveIfUnused()
    }
  }

  /// Begins with the next turn to count the time of what may have to wait for something else.
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
    // What cannot be moved is refused by the daemon, which has another value than was seen.
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

  /// What an edit makes of the daemon's value; nil where it has changed what this client has
  /// changed there since its own value was seen.
  private static func move(_ value: Value, from base: Base) -> Value? {
    guard let other = base.daemon.delta(from: base.seen) else { return value }
    guard let own = value.delta(from: base.seen) else { return base.daemon }
    do throws(CodecError) {
      let moved = try base.daemon.applying(delta: own)
      // Where it has changed nothing that the other change did: else what that counted was lost.
      return moved._$isSame(as: try value.applying(delta: other)) ? moved : nil
    } catch {
      // The one has removed what the other changes.
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

  /// How long a change may still take; nil for as long as it does.
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

  /// What was under way has its outcome, and what it led to is shown.
  private func settle(_ outcome: Outcome) {
    guard let change = underWay else { return }
    underWay = nil
    if case .applied = outcome { moveBase(by: change) }
    switch change.kind {
    case .edit(let edit): settle(edit, outcome)
    case .update(let update): settle(update, outcome)
    }
    takeOver()
    sendNext()
    leaveIfUnused()
  }

  /// The daemon has a change: what is made here goes on top of it.
  private func moveBase(by change: Change) {
    // Else others have changed the value, and edits of what was before are refused.
    guard var base = inbox.value.base, base.daemon._$isSame(as: change.old) else { return }
    base.daemon = change.new
    if case .edit(let edit) = change.kind { base.seen = edit.value }
    inbox.withValue { [base] in $0.base = base }
  }

  private func settle(_ edit: Edit, _ outcome: Outcome) {
    switch outcome {
    case .applied: edit.succeed()
    case .failed(let failure):
      edit.fail(ActionFailure(failure))
      // It has certainly not run, so what was made of it leads from the same value.
      if [Outcome.expired, Outcome.notSent].contains(failure.code) { return }
      takeEdit()?.fail(ActionFailure(failure))
    }
  }

  private func settle(_ update: Update, _ outcome: Outcome) {
    switch outcome {
    case .applied: update.finish(.success(()))
    case .failed(let failure) where failure.code == Outcome.conflict: retry(update)
    case .failed(let failure): update.finish(.failure(ActionFailure(failure)))
    }
  }

  /// Tries an update again that others were quicker than: at once, and later after a time that
  /// doubles, as long as it is worth trying.
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
    // Nobody may share it yet.
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

/// How often an update is tried that meets a conflict each time, and how long it rests in between:
/// some ten seconds in all.
private enum UpdateRetries {
  /// The most attempts.
  static let most = 16

  /// How long an update rests after a number of conflicts; nil for not at all.
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
    Self(code: .rejected, message: reason, remedy: "The value stays what it last was.")
  }
}
