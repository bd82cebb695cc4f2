import StoreProtocol
import StoreReplica

extension World {
  // MARK: Control

  func send(_ frame: [UInt8], from client: SimulatedClient) {
    // Without a connection a frame is not queued, as the real socket is configured.
    guard let pipe = client.control, pipe.isOpen else { return }
    pipe.lastAtDaemon = max(pipe.lastAtDaemon, clock.now + delay(options.controlDelay))
    clock.at(pipe.lastAtDaemon) {
      guard pipe.isOpen else { return }
      pipe.daemon?.receive(control: frame, from: pipe.peer)
    }
  }

  func send(_ frame: [UInt8], to peer: PeerID) {
    guard let (pipe, client) = controlPipes[peer], pipe.isOpen else { return }
    pipe.lastAtClient = max(pipe.lastAtClient, clock.now + delay(options.controlDelay))
    clock.at(pipe.lastAtClient) { [unowned self] in
      guard pipe.isOpen else { return }
      for frame in saboteur?.toClient(client.index, frame) ?? [frame] {
        client.receive(control: frame)
      }
    }
  }

  /// Returns whether a peer's queue is full because it has not read for some time.
  func isBlocked(_ peer: PeerID) -> Bool {
    guard let (pipe, client) = controlPipes[peer], pipe.isOpen else { return false }
    return client.blockedUntil > clock.now
  }

  func connectControl(_ client: SimulatedClient, after nanoseconds: Int64) {
    let generation = client.generation
    clock.after(nanoseconds) { [unowned self] in
      guard generation == client.generation, client.control == nil, !client.client.isClosed
      else { return }
      guard let daemon else { return connectControl(client, after: 20_000_000) }
      let pipe = ControlPipe(number: nextPipe, to: daemon)
      nextPipe += 1
      client.control = pipe
      controlPipes[pipe.peer] = (pipe, client)
      addresses[pipe.peer] = client.address
      trace("client \(client.index)'s control socket is connected")
      // The greeting.
      send([], to: pipe.peer)
    }
  }

  func cutControl(_ client: SimulatedClient, for nanoseconds: Int64) {
    guard let pipe = client.control else { return }
    trace("client \(client.index)'s control socket is cut")
    lose(pipe, of: client)
    connectControl(client, after: nanoseconds)
  }

  /// Closes a control pipe; the daemon notices it at once.
  private func lose(_ pipe: ControlPipe, of client: SimulatedClient) {
    pipe.isOpen = false
    controlPipes[pipe.peer] = nil
    client.control = nil
    pipe.daemon?.lose(pipe.peer)
    client.planTurn()
  }

  // MARK: Publishing

  func sendUpstream(_ frame: [UInt8], from client: SimulatedClient) {
    guard let pipe = client.publishing, pipe.isOpen else { return }
    pipe.lastAtDaemon = max(pipe.lastAtDaemon, clock.now + delay(options.publishingDelay))
    clock.at(pipe.lastAtDaemon) {
      guard pipe.isOpen, !pipe.isSilent else { return }
      switch frame.first {
      case 0: pipe.topics.remove(Array(frame.dropFirst()))
      case 1: pipe.topics.insert(Array(frame.dropFirst()))
      default: break
      }
      pipe.daemon?.receive(upstream: frame, from: pipe.peer)
    }
  }

  func publish(_ topic: [UInt8], _ body: [UInt8], from sockets: SimulatedSockets) {
    guard let saboteur else { return deliver(topic, body, from: sockets) }
    for body in saboteur.published(topic, body) { deliver(topic, body, from: sockets) }
  }

  private func deliver(_ topic: [UInt8], _ body: [UInt8], from sockets: SimulatedSockets) {
    for (pipe, client) in publishingPipes
    where pipe.isOpen && pipe.topics.contains(topic) && pipe.daemon?.sockets === sockets {
      let isCongested = client.congestedUntil > clock.now && generator.chance(0.7)
      if isCongested {
        trace("client \(client.index) loses a publication of \(body.count) bytes")
      } else {
        send(topic, body, through: pipe, to: client)
      }
    }
  }

  private func send(
    _ topic: [UInt8],
    _ body: [UInt8]?,
    through pipe: PublishingPipe,
    to client: SimulatedClient,
  ) {
    pipe.lastAtClient = max(pipe.lastAtClient, clock.now + delay(options.publishingDelay))
    clock.at(pipe.lastAtClient) {
      if pipe.isOpen, !pipe.isSilent { client.receive(topic: topic, body: body) }
    }
  }

  func connectPublishing(_ client: SimulatedClient, after nanoseconds: Int64) {
    let generation = client.generation
    clock.after(nanoseconds) { [unowned self] in
      guard generation == client.generation, client.publishing == nil, !client.client.isClosed
      else { return }
      guard let daemon else { return connectPublishing(client, after: 20_000_000) }
      let pipe = PublishingPipe(number: nextPipe, to: daemon)
      nextPipe += 1
      client.publishing = pipe
      publishingPipes.append((pipe, client))
      trace("client \(client.index)'s publishing socket is connected")
      send(daemon.welcome, nil, through: pipe, to: client)
      // The socket sends its subscriptions again.
      for topic in client.subscriptions.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        sendUpstream([1] + topic, from: client)
      }
    }
  }

  func cutPublishing(_ client: SimulatedClient, for nanoseconds: Int64) {
    guard let pipe = client.publishing else { return }
    trace("client \(client.index)'s publishing socket is cut")
    pipe.isOpen = false
    client.publishing = nil
    connectPublishing(client, after: nanoseconds)
    // The daemon notices it at once, or only when a heartbeat is missing.
    let notice = generator.chance(0.5) ? 0 : delay(.zero ... .seconds(1))
    clock.after(notice) { [unowned self] in miss(pipe) }
  }

  /// The daemon's socket notices that the pipe is gone.
  private func miss(_ pipe: PublishingPipe) {
    guard let index = publishingPipes.firstIndex(where: { $0.pipe === pipe }) else { return }
    publishingPipes.remove(at: index)
    pipe.daemon?.lose(pipe.peer)
  }

  /// Cuts a connection on the daemon's request.
  func cut(_ peer: PeerID) {
    if let (_, client) = controlPipes[peer] {
      return cutControl(client, for: delay(.microseconds(100) ... .milliseconds(30)))
    }
    guard let client = publishingPipes.first(where: { $0.pipe.peer == peer })?.client,
      client.publishing?.peer == peer
    else { return }
    cutPublishing(client, for: delay(.microseconds(100) ... .milliseconds(30)))
  }

  // MARK: Both

  /// Disconnects a client for good; its earlier frames arrive or are cut off.
  func disconnect(_ client: SimulatedClient) {
    client.stop()
    clock.after(delay(options.controlDelay) * 2) { [unowned self] in
      if let pipe = client.control {
        pipe.isOpen = false
        controlPipes[pipe.peer] = nil
        client.control = nil
      }
      if let pipe = client.publishing {
        pipe.isOpen = false
        client.publishing = nil
        miss(pipe)
      }
    }
  }

  /// Closes and recreates both sockets.
  func reconnect(_ client: SimulatedClient) {
    if let pipe = client.control { lose(pipe, of: client) }
    if let pipe = client.publishing {
      pipe.isOpen = false
      client.publishing = nil
      clock.after(delay(options.publishingDelay)) { [unowned self] in miss(pipe) }
    }
    connectControl(client, after: delay(.microseconds(100) ... .milliseconds(30)))
    connectPublishing(client, after: delay(.microseconds(100) ... .milliseconds(30)))
  }

  func delay(_ range: ClosedRange<Duration>) -> Int64 { generator.duration(range) }
}
