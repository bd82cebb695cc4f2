import DequeModule
import StoreHistory
package import StoreProtocol

/// A frame that the daemon sends.
package enum OutgoingFrame: Hashable, Sendable {
  case control(PeerID, [UInt8])
  case publish(topic: [UInt8], [UInt8])
}

/// Frames that wait to be sent, in order.
@MainActor
final class Outbox {
  private let limits: Limits
  private let timing: Timing
  /// The frames that a turn sends at its end.
  ///
  /// Bounded by ``Limits/bytesPerTurn`` and the answers to this input.
  private var frames: Deque<OutgoingFrame> = []
  /// Frames that did not fit into the queues of their peers.
  ///
  /// Bounded by ``Limits/heldBytes`` of each peer, and by ``Limits/allHeldBytes``.
  private var held: [PeerID: Held] = [:]
  /// The bytes of these frames, by holder.
  private var shares = Shares()
  private var nextNumber = 0
  /// When sending held frames is tried again; distant if none is held.
  private(set) var nextRetry = Instant.distantFuture

  private struct Held {
    /// The peer's number in the order in which queues became full.
    let number: Int
    let holder: Holder
    /// Bounded by ``Limits/heldBytes``.
    var frames: Deque<[UInt8]> = []
    var bytes = 0
  }

  /// A peer, in the order in which queues became full.
  private struct NumberedPeer: Comparable {
    let number: Int
    let peer: PeerID

    static func < (left: Self, right: Self) -> Bool { left.number < right.number }
  }

  init(limits: Limits, timing: Timing) {
    self.limits = limits
    self.timing = timing
  }

  var isEmpty: Bool { frames.isEmpty }

  /// The bytes of frames that did not fit into the queues of their peers.
  var heldBytes: Int { shares.all }

  func send(_ message: DaemonMessage, to peer: PeerID) {
    send(message.encoded(), to: peer)
  }

  func send(_ frame: [UInt8], to peer: PeerID) { frames.append(.control(peer, frame)) }

  func publish(_ topic: [UInt8], _ body: [UInt8]) {
    frames.append(.publish(topic: topic, body))
  }

  /// Takes the next frame.
  func next() -> OutgoingFrame? { frames.popFirst() }

  // MARK: Full queues

  /// Whether frames are held for a peer, so that later ones have to wait too.
  func holds(for peer: PeerID) -> Bool { held[peer] != nil }

  /// Holds a frame until its peer's queue has room.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - peer: The peer.
  ///   - holder: The peer's holder.
  ///   - instant: The time at which its queue was full.
  /// - Returns: The peers to end, because a limit of held frames is exceeded.
  func hold(
    _ frame: [UInt8],
    for peer: PeerID,
    of holder: Holder,
    at instant: Instant,
  ) -> [PeerID] {
    if held.isEmpty { nextRetry = instant.advanced(by: timing.resend) }
    nextNumber += 1
    var own = held.removeValue(forKey: peer) ?? Held(number: nextNumber, holder: holder)
    own.frames.append(frame)
    own.bytes += Self.size(frame)
    held[peer] = own
    shares.add(Self.size(frame), to: own.holder)
    return own.bytes > limits.heldBytes ? [peer] : greediest(after: own.holder)
  }

  /// The peers to end after a frame of a holder is held, so that each sum stays within its limit.
  private func greediest(after holder: Holder) -> [PeerID] {
    if !holder.isOwner {
      let own = shares[holder] - limits.heldBytesOfHolder
      if own > 0 {
        return Holder.greediest(freeing: own, of: parts { $0 == holder }).map(\.peer)
      }
      let others = Holder.greediest(of: shares.others, within: limits.heldBytesOfOthers) {
        parts { !$0.isOwner }
      }
      if !others.isEmpty { return others.map(\.peer) }
    }
    return Holder.greediest(of: shares.all, within: limits.allHeldBytes) {
      parts { _ in true }
    }
    .map(\.peer)
  }

  private func parts(of isCounted: (Holder) -> Bool) -> [Holder.Part<NumberedPeer>] {
    held.filter { isCounted($0.value.holder) }.map { peer, held in
      Holder.Part(
        id: NumberedPeer(number: held.number, peer: peer),
        holder: held.holder,
        amount: held.bytes,
      )
    }
  }

  /// Sends held frames while their queues have room, if the next attempt is due.
  ///
  /// - Parameters:
  ///   - instant: The moment.
  ///   - send: Sends a frame; false when the peer's queue is full.
  /// - Throws: The error of `send`.
  func sendHeld<Failure>(
    at instant: Instant,
    _ send: ([UInt8], PeerID) throws(Failure) -> Bool,
  ) throws(Failure) {
    guard nextRetry <= instant else { return }
    let peers = held.mapValues(\.number).sorted { $0.value < $1.value }
    for (peer, _) in peers {
      while let frame = held[peer]?.frames.first, try send(frame, peer) { releaseFirst(of: peer) }
    }
    nextRetry = held.isEmpty ? .distantFuture : instant.advanced(by: timing.resend)
  }

  private func releaseFirst(of peer: PeerID) {
    guard let holder = held[peer]?.holder, let frame = held[peer]?.frames.popFirst() else {
      return
    }
    held[peer]?.bytes -= Self.size(frame)
    shares.add(-Self.size(frame), to: holder)
    if held[peer]?.frames.isEmpty == true { held[peer] = nil }
  }

  /// Drops the frames held for a peer.
  func forget(_ peer: PeerID) {
    if let gone = held.removeValue(forKey: peer) { shares.add(-gone.bytes, to: gone.holder) }
    if held.isEmpty { nextRetry = .distantFuture }
  }

  func checkInvariants() {
    let bytes = held.values.reduce(0) { $0 + $1.bytes }
    precondition(bytes == heldBytes, "\(bytes) bytes are held, and \(heldBytes) counted")
  }

  /// The approximate memory of a held frame.
  private static func size(_ frame: [UInt8]) -> Int { frame.count + 64 }
}
