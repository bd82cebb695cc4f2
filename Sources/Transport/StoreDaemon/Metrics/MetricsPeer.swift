#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A peer that requests metrics: its progress and its deadlines.
struct MetricsPeer {
  enum Phase {
    /// Has no place yet, and is not heard.
    case parked
    case asking(MetricsRequest)
    /// Waits until it has been counted.
    case waiting
    case taking(ArraySlice<UInt8>)
    /// Has its response and closes; further input is dropped.
    case leaving
  }

  let descriptor: Int32
  let holder: MetricsHolder
  /// When it came, or was given a place.
  private(set) var start: Int64
  /// When it began to ask.
  var firstByteAt: Int64?
  var phase: Phase
  /// When what is under way ends.
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

  /// What of its descriptor is waited for.
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

  /// From when on it goes if another one wants to come in; nil for one that is being answered.
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

  /// Who goes when another one wants to come in, so that peers that say nothing keep nobody out,
  /// and cost nobody his place who is slow to ask.
  ///
  /// One that has its answer, else one that has said nothing, else one whose question does not end;
  /// of several the one that could have gone first.
  ///
  /// - Parameters:
  ///   - peers: All that are there.
  ///   - places: The indices of those of whom one is to go.
  ///   - now: The time, in nanoseconds.
  /// - Returns: Its index; nil where all may still stay.
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

  /// The peers of whom one has to go before another of a holder gets a place.
  ///
  /// - Parameters:
  ///   - holder: The holder.
  ///   - peers: All that are there.
  /// - Returns: Their indices; nil where there is a place.
  static func rivals(of holder: MetricsHolder, among peers: [Self]) -> [Int]? {
    let seated = peers.indices.filter { peers[$0].isSeated }
    let own = seated.filter { peers[$0].holder == holder }
    if own.count >= MetricsEndpoint.Limits.peersOfOne { return own }
    let others = seated.filter { peers[$0].holder != .machine }
    if holder != .machine, others.count >= MetricsEndpoint.Limits.peersOfOthers { return others }
    return seated.count < MetricsEndpoint.Limits.peers ? nil : seated
  }

  /// The order in which peers go.
  private var rank: Int {
    if case .leaving = phase { 0 } else if firstByteAt == nil { 1 } else { 2 }
  }
}
