import StoreHistory
import StoreProtocol
import StoreServer

extension World {
  /// Distributes the faults over the period in which the clients act.
  func planFaults() {
    let faults = options.faults
    plan(faults.controlCuts) { world, client in
      let length = world.delay(.milliseconds(1) ... .milliseconds(600))
      // Mostly while actions or their outcomes are on the way.
      if world.generator.chance(0.8) { client.hurry() }
      world.clock.after(2 * world.delay(world.options.controlDelay)) {
        world.cutControl(client, for: length)
      }
    }
    plan(faults.publishingCuts) { world, client in
      world.cutPublishing(client, for: world.delay(.milliseconds(1) ... .milliseconds(600)))
    }
    plan(faults.congestions) { world, client in
      client.congestedUntil =
        world.clock.now + world.delay(.milliseconds(5) ... .milliseconds(400))
    }
    plan(faults.silences) { world, client in
      guard let pipe = client.publishing else { return }
      world.trace("client \(client.index)'s publishing socket falls silent")
      pipe.isSilent = true
      world.clock.after(world.delay(.milliseconds(100) ... .seconds(2))) {
        if client.publishing === pipe { world.cutPublishing(client, for: 1_000_000) }
      }
    }
    plan(faults.blocks) { world, client in
      client.blockedUntil = world.clock.now + world.delay(.milliseconds(5) ... .milliseconds(400))
      world.trace("client \(client.index) does not read its control socket")
    }
    plan(faults.clockSteps) { world, _ in
      let step = world.generator.logarithmic(1...3_600_000)
      world.wallStep += world.generator.chance(0.5) ? step : -step
      world.trace("all wall clocks are \(world.wallStep) ms off")
    }
    plan(faults.closes) { world, client in world.replace(client) }
    plan(faults.grants) { world, _ in
      guard let daemon = world.daemon else { return }
      daemon.turn.apply(world.grants())
      daemon.planTurn()
    }
    plan(faults.sleeps) { world, client in world.putToSleep(client) }
    plan(faults.crashes) { world, client in
      world.crashes.due += 1
      client.hurry()
    }
    plan(faults.alarms) { world, client in client.setAlarm() }
    for _ in 0..<faults.restarts {
      clock.at(delay(.zero...options.span)) { [unowned self] in restart() }
    }
  }

  private func plan(_ count: Int, _ fault: @escaping @MainActor (World, SimulatedClient) -> Void) {
    for _ in 0..<count {
      clock.at(delay(.zero...options.span)) { [unowned self] in
        guard !isHealed, let client = openClients.randomElement(using: &generator) else { return }
        fault(self, client)
      }
    }
  }

  /// The names that can be granted.
  static let names = ["accounts", "list", "list/rows/*", "note", "presence"]
  /// The user id of the restricted clients.
  static let limitedUser: UInt32 = 7

  /// Returns whether a client has only the granted rights.
  func isLimited(_ client: Int) -> Bool { options.granted > 0 && !client.isMultiple(of: 2) }

  var hasGrants: Bool { options.granted > 0 || options.faults.grants > 0 }

  /// Returns the grants of the restricted clients, and of an absent user: the daemon sends a scope
  /// separately to each follower if one of the two may not see it.
  func grants() -> Grants {
    var lines: [Grants.Line] = []
    if options.faults.grants > 0 {
      let seen = Self.names.filter { _ in generator.chance(0.6) }
      trace("restricted users may see \(seen)")
      lines.append(line(for: 99, seen + ["nothing"], sends: .nothing))
    }
    if options.granted > 0 {
      let names = options.planted == .brokenGrants ? ["*"] : grantedNames
      lines.append(line(for: Self.limitedUser, names, sends: .everything))
    }
    return Grants(owner: 0, lines: lines)
  }

  /// The names that restricted clients may see and send to.
  var grantedNames: [String] {
    Self.names.enumerated().filter { options.granted >> $0.offset & 1 == 1 }.map(\.element)
  }

  private func line(for user: UInt32, _ names: [String], sends: SendRight) -> Grants.Line {
    Grants.Line(
      grantee: .user(user),
      scopes: names.compactMap { ScopePattern($0) },
      sees: true,
      sends: sends,
    )
  }

  private func putToSleep(_ client: SimulatedClient) {
    let lease = options.timing.lease
    let length = delay(lease / 2...lease * 3)
    trace("client \(client.index) sleeps for \(length / 1_000_000) ms")
    client.asleepUntil = max(client.asleepUntil, clock.now + length)
    guard options.faults.losesQueueWhenAsleep else { return }
    clock.at(client.asleepUntil) { [unowned self] in
      client.loseFrames()
      cutControl(client, for: 1_000_000)
      cutPublishing(client, for: 1_000_000)
    }
  }

  private func restart() {
    guard let daemon, !isHealed else { return }
    let isOrderly = generator.chance(0.5)
    trace(isOrderly ? "the daemon stops" : "the daemon is killed")
    if isOrderly {
      // A daemon with a disk writes all its data before it is restarted.
      daemon.shutDown()
      if disk != nil { return }
    }
    end(daemon)
    // The connections last until the goodbyes of an orderly shutdown are sent.
    clock.after(isOrderly ? delay(.milliseconds(1) ... .milliseconds(40)) : 0) {
      [unowned self] in cutAll(from: daemon)
    }
    startLater()
  }

  /// Cuts all connections to a daemon that has ended.
  func cutAll(from daemon: SimulatedDaemon) {
    publishingPipes.removeAll { $0.pipe.daemon === daemon }
    // Another daemon may already have replaced it.
    func isElsewhere(_ other: SimulatedDaemon?) -> Bool { other != nil && other !== daemon }
    for client in openClients {
      if !isElsewhere(client.publishing?.daemon) {
        client.publishing?.isOpen = false
        client.publishing = nil
        connectPublishing(client, after: delay(.milliseconds(1) ... .milliseconds(100)))
      }
      if !isElsewhere(client.control?.daemon) {
        cutControl(client, for: delay(.milliseconds(1) ... .milliseconds(100)))
      }
    }
  }

  /// Closes a client's connection, and adds another client later.
  private func replace(_ client: SimulatedClient) {
    client.close()
    clock.after(delay(.zero ... .milliseconds(500))) { [unowned self] in
      if !isHealed { addClient() }
    }
  }

  /// Ends all faults.
  func heal() {
    trace("faults are over")
    isHealed = true
    disk?.isFull = false
    disk?.failsNext = false
    disk?.losesNextAnswer = false
    for client in clients { (client.congestedUntil, client.blockedUntil) = (0, 0) }
  }
}
