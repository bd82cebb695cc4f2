#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A peer that requests metrics: its progress and its deadlines.
struct MetricsPeer {
  enum Phase {
    case asking(MetricsRequest)
    /// Waits until it has been counted.
    case waiting
    case taking(ArraySlice<UInt8>)
    /// Has its response and closes; further input is dropped.
    case leaving
  }

  let descriptor: Int32
  /// When it came.
  let start: Int64
  /// When it began to ask.
  var firstByteAt: Int64?
  var phase: Phase
  /// When what is under way ends.
  var end: Int64
  var isGone = false

  /// Accepts a peer, which has ``MetricsEndpoint/Limits/patience`` to ask.
  init(_ descriptor: Int32, hosts: MetricsHosts = MetricsHosts(), at now: Int64) {
    self.descriptor = descriptor
    phase = .asking(MetricsRequest(hosts: hosts))
    start = now
    end = now + MetricsEndpoint.Limits.patience
  }

  /// What of its descriptor is waited for.
  var events: Int16 {
    switch phase {
    case .asking, .leaving: Int16(POLLIN)
    case .waiting: 0
    case .taking: Int16(POLLOUT)
    }
  }

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
    case .waiting, .taking: nil
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
  ///   - now: The time, in nanoseconds.
  /// - Returns: Its index; nil where all may still stay.
  static func expendable(among peers: [Self], at now: Int64) -> Int? {
    peers.indices
      .compactMap { place in
        peers[place].expendableAt.map { (rank: peers[place].rank, at: $0, place) }
      }
      .filter { $0.at <= now }
      .min { ($0.rank, $0.at) < ($1.rank, $1.at) }?.2
  }

  /// The order in which peers go.
  private var rank: Int {
    if case .leaving = phase { 0 } else if firstByteAt == nil { 1 } else { 2 }
  }
}
