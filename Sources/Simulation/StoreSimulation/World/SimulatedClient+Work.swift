import StoreActor
import StoreProtocol
import StoreReplica
import StoreState

extension SimulatedClient {
  /// Follows this client's first scopes: one client follows two scopes, one follows a row, and one
  /// only sends.
  func start() {
    switch index {
    case 0: follow("accounts")
    case 1: ["accounts", "list"].forEach(follow)
    case 2 where habits.rows: ["list/rows/\(generator.number(0...5))", "note"].forEach(follow)
    case 3:
      let action = isLater ? SchemaRegistry.document(for: LaterBoard.AccountsAction.self) : nil
      targets.append(client.add("accounts", mode: .sendOnly, action: action, replica: nil))
      ["presence", "list"].forEach(follow)
    default: for _ in 0..<generator.number(1...4) { followSomething() }
    }
    planTurn()
  }

  private var habits: SimulationOptions.Habits { world.options.habits }

  private static let names = ["accounts", "list", "note", "presence"]

  private func followSomething() {
    follow(someName())
  }

  private func someName() -> String {
    let choice = generator.number(0...(habits.rows ? 7 : Self.names.count - 1))
    return choice < Self.names.count ? Self.names[choice] : "list/rows/\(someRow())"
  }

  /// Returns the id of a present, past or future row.
  private func someRow() -> Int { generator.number(0...(world.options.rows + 4)) }

  private func follow(_ name: String) {
    let reading =
      isLater
      ? Reading.later(name, isReadable: generator.chance(0.7), world.options.planted)
      : Reading.own(name, isTyped: generator.chance(0.5))
    let replica = SimulatedReplica(number: world.nextReplica(), scope: name, reading: reading)
    replica.onRecord = { [unowned self] record in
      // An observer may read the state at each output; all changes before it are shown by then.
      if case .heard = record { recordShown() }
      self.record(record)
    }
    replica.onAnnounce = { [unowned self] in self.recordShown() }
    if world.options.planted == .hastyTellings {
      replica.onShow = { [unowned self] in self.recordShown() }
    }
    let scope = client.add(
      name,
      mode: .follow,
      state: reading.state,
      action: reading.action,
      reader: reading.reader,
      replica: replica,
    )
    replica.origin = scope
    wait(for: .state(of: ObjectIdentifier(scope)))
    followed.append(Followed(scope: scope, replica: replica))
    targets.append(scope)
  }

  /// Performs one random action of a user.
  func work() {
    guard asleepUntil <= world.clock.now, !client.isClosed else { return }
    switch generator.number(0...99) {
    case 0..<8 where habits.moves: if followed.count < 6 { followSomething() }
    case 8..<14 where habits.moves: leaveSomething()
    case 14..<20: hurry()
    case 20..<24 where habits.waits: wait(for: .connected)
    case 24..<26 where habits.waits: wait(for: .time)
    case 26..<34 where habits.stores && !isLater: openStore()
    case 34..<42 where habits.stores: dropStore()
    default: act()
    }
    planTurn()
  }

  private func openStore() {
    guard stores.count < 6 else { return }
    let store = SimulatedStore.open(someName(), of: client) { [unowned self] in recordShown() }
    stores.append(store)
    if habits.waits { wait(for: .state(of: ObjectIdentifier(store.scope))) }
    recordShown()
  }

  private func dropStore() {
    guard !stores.isEmpty else { return }
    let store = stores.remove(at: generator.number(0...(stores.count - 1)))
    if world.options.planted == .keptScopes { kept.append(store) }
    recordShown()
  }

  /// Waits for a condition for a random time, and sometimes cancels the wait.
  private func wait(for condition: WaitCondition) {
    nextWait += 1
    let (id, time) = (nextWait, generator.duration(.zero ... .seconds(2)))
    var limit = time
    if world.options.planted == .sharedDeadlines {
      limit = waits.values.reduce(limit) { min($0, $1.time) }
    }
    waits[id] = (time, nil)
    let wait = client.wait(for: condition, within: .nanoseconds(limit)) { [unowned self] result in
      if client.isClosed && world.options.planted == .forgottenWaits { return }
      if case .failure(.timedOut) = result { noteTimeout(ofWait: id, for: condition) }
      noteEnd(ofWait: id)
    }
    guard generator.chance(0.2) else { return }
    world.clock.after(generator.duration(.zero ... .seconds(1))) { [unowned self] in
      client.cancel(wait)
    }
  }

  /// Records a wait that timed out too early, or although no fault could delay its state.
  private func noteTimeout(ofWait id: UInt64, for condition: WaitCondition) {
    guard let wait = waits[id] else { return }
    let now = world.clock.now
    if now < (wait.since ?? now) + wait.time { record(.hasty(wait: id)) }
    if case .state = condition, wait.time >= world.timeForState { record(.vain(wait: id)) }
  }

  /// Records a wait that ended twice or late.
  ///
  /// Its time begins with the next turn.
  private func noteEnd(ofWait id: UInt64) {
    let wait = waits.removeValue(forKey: id)
    guard let wait, wait.since.map({ isInTime(wait.time, since: $0) }) ?? true else {
      return record(.overdue(wait: id))
    }
  }

  /// Sends several actions at once.
  func hurry() {
    guard asleepUntil <= world.clock.now, !client.isClosed else { return }
    for _ in 0..<(habits.bursts ? generator.number(1...6) : 1) { act() }
    planTurn()
  }

  private func leaveSomething() {
    guard followed.count > 1 else { return }
    let left = followed.remove(at: generator.number(0...(followed.count - 1)))
    targets.removeAll { $0 === left.scope }
    left.replica.isLeft = true
    if world.options.planted != .keptScopes { client.release(left.scope) }
    record(.left(replica: left.replica.number))
    // If the remaining scopes are all refused, no further change is announced.
    recordShown()
  }

  private func act() {
    let scopes = targets + stores.map(\.scope)
    guard let scope = scopes.randomElement(using: &generator) else { return }
    act(on: scope) { action(for: scope.name, tag: $0) }
  }

  /// Sets an alarm, if it has a scope that has alarms.
  func setAlarm() {
    guard asleepUntil <= world.clock.now, !client.isClosed, !isLater else { return }
    let scopes = (targets + stores.map(\.scope)).filter { $0.name == "accounts" }
    guard let scope = scopes.first else { return }
    let milliseconds = generator.logarithmic(1...2_000)
    act(on: scope) { tag in
      world.history.alarms.insert(tag)
      let action = Board.AccountsAction.alarmSet(tag: tag, milliseconds: milliseconds)
      return (try? action.encoded()).map { ($0, true) }
    }
    planTurn()
  }

  /// Sends an action to a scope.
  private func act(
    on scope: ClientScope,
    _ action: (_ tag: UInt64) -> (bytes: [UInt8], isKnown: Bool)?,
  ) {
    submitted += 1
    let tag = UInt64(index) << 32 | submitted
    guard let (action, isKnown) = action(tag) else { return }
    let time = Duration.milliseconds(generator.number(0...400))
    let timeToLive = habits.deadlines && generator.chance(0.2) ? time : nil
    let ticket = client.submit(action, to: scope, timeToLive: timeToLive)
    record(.submitted(tag: tag, scope: scope.name, isKnown: isKnown))
    if let timeToLive { waits[tag] = (timeToLive.nanoseconds, nil) }
    ticket.whenSettled { [unowned self] outcome in
      var isGone = !(targets + stores.map(\.scope)).contains { $0 === scope }
      if case .refused = scope.status { isGone = true }
      // A notified observer may read the state at once.
      recordShown()
      record(.settled(tag: tag, outcome, isScopeGone: isGone))
      if timeToLive != nil { noteEnd(ofWait: tag) }
    }
    unfinished.insert(tag)
    ticket.whenFinished { [unowned self] in
      if client.isClosed && world.options.planted == .forgottenEffects { return }
      unfinished.remove(tag)
      if !client.isClosed { record(.finished(tag: tag, at: world.clock.now)) }
    }
    guard habits.cancels, generator.chance(0.1) else { return }
    world.clock.after(generator.duration(.zero ... .milliseconds(100))) { [unowned self] in
      if !client.isClosed { client.cancel(ticket) }
    }
  }

  /// Returns an action's encoding, and whether the daemon's build knows it; nil if the scope takes
  /// no actions.
  private func action(for name: String, tag: UInt64) -> (bytes: [UInt8], isKnown: Bool)? {
    do throws(CodecError) {
      switch name {
      case "accounts" where isLater:
        let action = laterAccountsAction(tag)
        return (try action.encoded(), action != .audited(tag: tag))
      case "accounts": return (try accountsAction(tag).encoded(), true)
      case "list": return (try listAction(tag).encoded(), true)
      case "note":
        let write = Board.NoteAction.written(tag: tag, text: "\(tag)")
        return (try (generator.chance(0.8) ? write : .closed(tag: tag)).encoded(), true)
      case "presence": return nil
      default: return (try rowAction(tag).encoded(), true)
      }
    } catch {
      preconditionFailure("An action of the simulation cannot be encoded: \(error)")
    }
  }

  private func laterAccountsAction(_ tag: UInt64) -> LaterBoard.AccountsAction {
    switch generator.number(0...9) {
    case 0..<5: .transferred(amount: generator.number(1...9), reason: "rent", tag: tag)
    case 5..<7: .audited(tag: tag)
    case 7: .refreshed(tag: tag)
    default: .noteToggled(tag: tag)
    }
  }

  private func accountsAction(_ tag: UInt64) -> Board.AccountsAction {
    switch generator.number(0...9) {
    case 0..<6: .transferred(tag: tag, amount: generator.number(1...9))
    case 6: .began(tag: tag)
    case 7: .refreshed(tag: tag)
    default: .noteToggled(tag: tag)
    }
  }

  private func listAction(_ tag: UInt64) -> Board.ListAction {
    let id = someRow()
    return switch generator.number(0...9) {
    case 0..<3: .added(tag: tag, title: world.title("title \(tag)", &generator))
    case 3..<5: .removed(tag: tag, id: id)
    case 5..<7: .moved(tag: tag, id: id, toOffset: generator.number(-1...8))
    default: .rows(.element(id: id, action: rowAction(tag)))
    }
  }

  private func rowAction(_ tag: UInt64) -> Board.RowAction {
    if generator.chance(0.5) { return .counted(tag: tag) }
    return .titled(tag: tag, title: world.title("renamed \(tag)", &generator))
  }
}
