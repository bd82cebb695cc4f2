#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A peer that requests metrics: its progress and its deadlines.
struct MetricsPeer {
  enum Phase {
    /// Waits for a place; its input is not read yet.
    case parked
    case asking(MetricsRequest)
    /// Waits for the metrics.
    case waiting
    case taking(ArraySlice<UInt8>)
    /// Has its response and closes; further input is dropped.
    case leaving
  }

  let descriptor: Int32
  let holder: MetricsHolder
  /// The time of its connection, later of its place.
  private(set) var start: Int64
  /// The time of its request's first byte.
  var firstByteAt: Int64?
  var phase: Phase
  /// The deadline of its phase.
  var end: Int64
  var isGone = false

  /// Accepts a peer, which waits for a place.
  init(_ descriptor: Int32, of holder: MetricsHolder = .machine, at now: Int64) {
    self.descriptor = descriptor
    self.holder = holder
    phase = .parked
    start = now
    end = now + MetricsEndpoint.Limits.patience
  }

  /// Gives it a place, with ``MetricsEndpoint/Limits/patience`` to ask.
  mutating func hear(_ hosts: MetricsHosts, at now: Int64) {
    phase = .asking(MetricsRequest(hosts: hosts))
    start = now
    end = now + MetricsEndpoint.Limits.patience
  }

  /// The events of its descriptor that the thread polls.
  var events: Int16 {
    switch phase {
    case .asking, .leaving: Int16(POLLIN)
    case .parked, .waiting: 0
    case .taking: Int16(POLLOUT)
    }
  }

  var isParked: Bool { if case .parked = phase { true } else { false } }

  /// Whether it has a place.
  var isSeated: Bool { !isParked && !isGone }

  var isWaiting: Bool { if case .waiting = phase { true } else { false } }

  /// The time from which on another peer may replace it; nil for one that is being answered.
  var expendableAt: Int64? {
    switch phase {
    case .asking:
      if let firstByteAt {
        firstByteAt + MetricsEndpoint.Limits.asking
      } else {
        start + MetricsEndpoint.Limits.hearing
      }
    case .parked, .waiting, .taking: nil
    case .leaving: start
    }
  }

  /// Selects the peer that another one replaces.
  ///
  /// Silent peers therefore exclude no other peer, and are replaced before one that is slow to ask.
  ///
  /// The order: a peer that has its response, else a silent one, else one with an incomplete
  /// request; of several the one that could have been replaced first.
  ///
  /// - Parameters:
  ///   - peers: All peers.
  ///   - places: The indices of the candidates.
  ///   - now: The time, in nanoseconds.
  /// - Returns: Its index; nil if all may still stay.
  static func expendable(
    among peers: [Self],
    _ places: some Sequence<Int>,
    at now: Int64,
  ) -> Int? {
    places
      .compactMap { place in
        peers[place].expendableAt.map { (rank: peers[place].rank, at: $0, place) }
      }
      .filter { $0.at <= now }
      .min { ($0.rank, $0.at) < ($1.rank, $1.at) }?.2
  }

  /// The peers of which one must end before another of a holder gets a place.
  ///
  /// - Parameters:
  ///   - holder: The holder.
  ///   - peers: All peers.
  /// - Returns: Their indices; nil if a place is free.
  static func rivals(of holder: MetricsHolder, among peers: [Self]) -> [Int]? {
    let seated = peers.indices.filter { peers[$0].isSeated }
    let own = seated.filter { peers[$0].holder == holder }
    if own.count >= MetricsEndpoint.Limits.peersOfOne { return own }
    let others = seated.filter { peers[$0].holder != .machine }
    if holder != .machine, others.count >= MetricsEndpoint.Limits.peersOfOthers { return others }
    return seated.count < MetricsEndpoint.Limits.peers ? nil : seated
  }

  /// The order in which peers are replaced.
  private var rank: Int {
    if case .leaving = phase { 0 } else if firstByteAt == nil { 1 } else { 2 }
  }
}
