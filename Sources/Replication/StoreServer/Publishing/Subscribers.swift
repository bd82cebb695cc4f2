import StoreHistory
import StoreProtocol

/// The connections of the publishing socket: their subscriptions, and their sessions.
///
/// An admitted peer may subscribe to any topic, and its messages take memory until it reads them.
/// Therefore a connection is shut down unless it belongs to a session, by its fence, and reads the
/// messages of its topics.
@MainActor
final class Subscribers {
  private struct Subscriber {
    /// The bytes that had been published on each topic when it was subscribed to.
    ///
    /// Bounded by ``Limits/topicsPerConnection``.
    var topics: [Topic: UInt64] = [:]
    /// The session whose fence arrived on it last.
    var session: Session?
    /// Since when its backlog is large without progress, and its position at that time.
    var behind: (since: Instant, at: UInt64)?
    /// Whether it is about to be shut down.
    var isCut = false
  }

  private let subscriptions: Subscriptions
  private let limits: Limits
  private let timing: Timing
  /// Bounded by ``ConnectionTable/Limits/connections``.
  private var subscribers: [PeerID: Subscriber] = [:]
  /// Connections without a session.
  private var strangers = Strangers()
  /// Bounded by ``subscribers``, each once.
  private var cuts: [ReplicaServer.Cut] = []
  /// The total of published bytes at the last check for connections that do not read.
  private var checkedAt: UInt64 = 0
  /// When connections with a large backlog are checked again.
  private var nextLook = Instant.distantFuture

  init(_ subscriptions: Subscriptions, limits: Limits, timing: Timing) {
    self.subscriptions = subscriptions
    self.limits = limits
    self.timing = timing
  }

  // MARK: Subscriptions

  /// Notes a message on a connection.
  ///
  /// A new connection has a limited time, once, to show its session.
  func heard(_ peer: PeerID, now: Instant) {
    if subscribers[peer] == nil { forsake(peer, now: now) }
  }

  /// Adds a subscription of a connection to a topic; nil if its bytes are not a topic.
  func subscribed(_ peer: PeerID, to topic: Topic?) {
    guard let topic, topic.kind != .unicastView else {
      return cut(peer, "subscribes to an invalid topic")
    }
    guard let known = subscribers[peer]?.topics, known[topic] == nil else { return }
    guard known.count < limits.topicsPerConnection else {
      return cut(peer, "subscribes to more than \(limits.topicsPerConnection) topics")
    }
    subscribers[peer]?.topics[topic] = subscriptions.published(on: topic) ?? 0
  }

  func unsubscribed(_ peer: PeerID, from topic: Topic?) {
    if let topic { subscribers[peer]?.topics[topic] = nil }
  }

  /// Assigns a connection to a session, whose fence arrived on it.
  func bind(_ peer: PeerID, to session: Session, now: Instant) {
    guard session.publisher != peer else { return }
    if let former = session.publisher { forsake(former, now: now) }
    subscribers[peer]?.session?.publisher = nil
    subscribers[peer, default: Subscriber()].session = session
    strangers.remove(peer)
    session.publisher = peer
  }

  // MARK: Sessions

  /// Ends a session; its connection then belongs to no session.
  func end(_ session: Session, now: Instant) {
    if let peer = session.publisher { forsake(peer, now: now) }
    session.publisher = nil
  }

  /// Removes a connection that has ended.
  ///
  /// - Returns: The session that the connection belonged to; nil without one.
  func lost(_ peer: PeerID) -> Session? {
    strangers.remove(peer)
    guard let session = subscribers.removeValue(forKey: peer)?.session else { return nil }
    session.publisher = nil
    return session
  }

  private func forsake(_ peer: PeerID, now: Instant) {
    subscribers[peer, default: Subscriber()].session = nil
    strangers.add(peer, now: now)
  }

  /// When connections have to be checked next, if no event occurs before.
  var nextDeadline: Instant {
    let first = strangers.first?.advanced(by: timing.introduction)
    return min(nextLook, first ?? .distantFuture)
  }

  /// Shuts down connections that have had no session for too long, and those that do not read.
  func check(at moment: Instant) {
    for peer in strangers.take(at: moment, after: timing.introduction) {
      cut(peer, "has no session")
    }
    guard nextLook <= moment || subscriptions.publishedBytes - checkedAt >= limits.lagBytes / 8
    else { return }
    checkedAt = subscriptions.publishedBytes
    nextLook = .distantFuture
    let late = Array(subscribers.keys).filter { isTooLate($0, at: moment) }
    // Sorted, for a deterministic order.
    for peer in late.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
      cut(peer, "does not read the topics of its subscriptions")
    }
    makeRoom()
  }

  /// Shuts down the connections with the largest backlogs, if the sum of all is too large.
  ///
  /// The backlog that is normal before a connection's next ping does not count.
  private func makeRoom() {
    let parts = subscribers.filter { !$0.value.isCut }.map { peer, subscriber in
      let unread = Int(clamping: progress(of: subscriber).unread)
      return Holder.Part(
        id: SubscriberID(peer: peer),
        holder: subscriber.session?.holder ?? .unknown,
        amount: max(0, unread - 2 * limits.bytesPerPing),
      )
    }
    makeRoom(limits.allLagBytesOfOthers, of: parts.filter { !$0.holder.isOwner })
    makeRoom(limits.allLagBytes, of: parts.filter { subscribers[$0.id.peer]?.isCut == false })
  }

  private func makeRoom(_ limit: Int, of parts: [Holder.Part<SubscriberID>]) {
    let sum = parts.reduce(0) { $0 + $1.amount }
    for id in Holder.greediest(freeing: sum - limit, of: parts) {
      cut(id.peer, "leaves more published bytes unread than others do")
    }
  }

  /// A connection, in a deterministic order.
  private struct SubscriberID: Comparable {
    let peer: PeerID

    static func < (left: Self, right: Self) -> Bool {
      left.peer.bytes.lexicographicallyPrecedes(right.peer.bytes)
    }
  }

  /// Whether a connection has too many unread bytes, or many for too long.
  private func isTooLate(_ peer: PeerID, at moment: Instant) -> Bool {
    guard let subscriber = subscribers[peer] else { return false }
    let (unread, read) = progress(of: subscriber)
    guard unread > limits.lagBytes else {
      if subscriber.behind != nil { subscribers[peer]?.behind = nil }
      return false
    }
    let known = subscriber.behind.flatMap { $0.at == read ? $0.since : nil }
    let since = known ?? moment
    let isJoining = subscriber.session.map { !$0.scopes.transfers.isEmpty } ?? false
    let isLate = since.advanced(by: timing.lag) <= moment && !isJoining
    if isLate || unread > limits.mostLagBytes { return true }
    subscribers[peer]?.behind = (since, read)
    nextLook = min(nextLook, moment.advanced(by: timing.lag))
    return false
  }

  /// The backlog of a connection and its position, both in bytes, on the topic with the
  /// largest backlog.
  ///
  /// For the view that a session follows, its pings report the position. Its other topics are those
  /// that it is about to leave.
  private func progress(of subscriber: Subscriber) -> (unread: UInt64, read: UInt64) {
    let scopes = subscriber.session?.scopes
    var most: (unread: UInt64, read: UInt64) = (0, 0)
    for (topic, start) in subscriber.topics {
      guard let published = subscriptions.published(on: topic) else { continue }
      let told = scopes.flatMap { $0.view?.topic == topic ? $0.readBytes : nil } ?? 0
      let read = max(start, told)
      if published - read > most.unread { most = (published - read, read) }
    }
    return most
  }

  private func cut(_ peer: PeerID, _ reason: String) {
    guard subscribers[peer]?.isCut == false else { return }
    subscribers[peer]?.isCut = true
    subscribers[peer]?.topics = [:]
    cuts.append(ReplicaServer.Cut(peer: peer, reason: reason))
  }

  /// Takes the connections to be shut down.
  func takeCuts() -> [ReplicaServer.Cut] {
    guard !cuts.isEmpty else { return [] }
    defer { cuts = [] }
    return cuts
  }

  // MARK: Invariants

  func checkInvariants(_ sessions: [Session]) {
    for session in sessions {
      guard let peer = session.publisher else { continue }
      precondition(
        subscribers[peer]?.session === session,
        "The connection of session \(session.info.id) is another's",
      )
    }
    for (peer, subscriber) in subscribers {
      precondition(
        subscriber.session.map { $0.isOpen && $0.publisher == peer } ?? true,
        "The connection \(peer) belongs to a session that has another, or is over",
      )
      precondition(
        subscriber.isCut || (subscriber.session == nil) == strangers.contains(peer),
        "The connection \(peer) is with and without a session",
      )
    }
  }
}
