import StoreActor
import StoreReplication
import StoreState

extension SimulatedClient {
  /// Follows what this client starts with: among the clients are one that follows two scopes, one
  /// that follows a row and one that only sends.
  func start() {
    switch index {
    case 0: follow("accounts")
    case 1: ["accounts", "list"].forEach(follow)
    case 2: ["list/rows/\(generator.number(0...5))", "note"].forEach(follow)
    case 3:
      let action = isLater ? SchemaRegistry.document(for: LaterBoard.AccountsAction.self) : nil
      targets.append(client.add("accounts", mode: .sendOnly, action: action, replica: nil))
      ["presence", "list"].forEach(follow)
    default: for _ in 0..<generator.number(1...4) { followSomething() }
    }
    planTurn()
  }

  private static let names = ["accounts", "list", "note", "presence"]

  private func followSomething() {
    let choice = generator.number(0...7)
    if choice < Self.names.count {
      follow(Self.names[choice])
    } else {
      follow("list/rows/\(generator.number(0...9))")
    }
  }

  private func follow(_ name: String) {
    let reading =
      isLater
      ? Reading.later(name, isReadable: generator.chance(0.7), world.options.planted)
      : Reading.own(name, isTyped: generator.chance(0.5))
    let replica = SimulatedReplica(number: world.nextReplica(), scope: name, reading: reading)
    replica.onRecord = { [unowned self] in self.record($0) }
    replica.onAnnounce = { [unowned self] in self.recordShown() }
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

  /// Does one of the things that a user does.
  func work() {
    guard asleepUntil <= world.clock.now else { return }
    switch generator.number(0...99) {
    case 0..<8: if followed.count < 6 { followSomething() }
    case 8..<14: leaveSomething()
    case 14..<20: hurry()
    case 20..<24: wait(for: .connected)
    default: act()
    }
    planTurn()
  }

  /// Waits for something, for a while, and sometimes changes its mind.
  private func wait(for condition: WaitCondition) {
    nextWait += 1
    let (id, time) = (nextWait, generator.duration(.zero ... .seconds(2)))
    waits[id] = (time, nil)
    let wait = client.wait(for: condition, within: .nanoseconds(time)) { [unowned self] _ in
      // Each ends once.
      if waits.removeValue(forKey: id) == nil { record(.overdue(wait: id)) }
    }
    guard generator.chance(0.2) else { return }
    world.clock.after(generator.duration(.zero ... .seconds(1))) { [unowned self] in
      client.cancel(wait)
    }
  }

  /// Does several things at once.
  func hurry() {
    guard asleepUntil <= world.clock.now else { return }
    for _ in 0..<generator.number(1...6) { act() }
    planTurn()
  }

  private func leaveSomething() {
    guard followed.count > 1 else { return }
    let left = followed.remove(at: generator.number(0...(followed.count - 1)))
    targets.removeAll { $0 === left.scope }
    left.replica.isLeft = true
    client.release(left.scope)
    record(.left(replica: left.replica.number))
    // What is left may all be refused, and then nothing would be announced any more.
    recordShown()
  }

  private func act() {
    guard let scope = targets.randomElement(using: &generator) else { return }
    submitted += 1
    let tag = UInt64(index) << 32 | submitted
    guard let (action, isKnown) = action(for: scope.name, tag: tag) else { return }
    let hasDeadline = generator.chance(0.1)
    let time = Duration.milliseconds(generator.number(0...400))
    let ticket = client.submit(action, to: scope, timeToLive: hasDeadline ? time : nil)
    record(.submitted(tag: tag, scope: scope.name, isKnown: isKnown))
    ticket.whenSettled { [unowned self] outcome in
      var isGone = !targets.contains { $0 === scope }
      if case .refused = scope.status { isGone = true }
      record(.settled(tag: tag, outcome, isScopeGone: isGone))
    }
  }

  /// An action's encoding, and whether the daemon's build knows it; nil for a scope that takes
  /// none.
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
    case 0..<7: .transferred(tag: tag, amount: generator.number(1...9))
    case 7: .refreshed(tag: tag)
    default: .noteToggled(tag: tag)
    }
  }

  private func listAction(_ tag: UInt64) -> Board.ListAction {
    let id = generator.number(0...9)
    return switch generator.number(0...9) {
    case 0..<3: .added(tag: tag, title: "title \(tag)")
    case 3..<5: .removed(tag: tag, id: id)
    case 5..<7: .moved(tag: tag, id: id, toOffset: generator.number(-1...8))
    default: .rows(.element(id: id, action: rowAction(tag)))
    }
  }

  private func rowAction(_ tag: UInt64) -> Board.RowAction {
    generator.chance(0.5) ? .counted(tag: tag) : .titled(tag: tag, title: "renamed \(tag)")
  }
}
