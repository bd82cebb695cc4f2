import StoreProtocol
import StoreServer
import ZeroMQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The part of ``MetricsEndpoint`` that its thread runs: the peers and their responses.
struct MetricsServer {
  private let endpoint: MetricsEndpoint
  /// Asks the main actor to count.
  private let count: () -> Void
  /// Bounded by ``MetricsEndpoint/Limits/peers`` and, while they
  /// wait, ``MetricsEndpoint/Limits/parked``.
  private var peers: [MetricsPeer] = []
  /// The last metrics as text, and their time.
  ///
  /// Bounded by ``ProgramMetrics/mostSeries`` and the daemon's own numbers.
  private var counted: (bytes: [UInt8], at: Int64)?
  private var isCounting = false
  /// The time from which on peers are accepted again.
  private var opensAt: Int64 = 0
  private var now = LoopClock.nanoseconds

  init(_ endpoint: MetricsEndpoint, _ count: @escaping () -> Void) {
    self.endpoint = endpoint
    self.count = count
  }

  /// Serves until it is stopped.
  mutating func run() {
    while true {
      var entries = entries
      let ready = poll(&entries, nfds_t(entries.count), timeout)
      now = LoopClock.nanoseconds
      // After a signal the entries are undefined.
      guard ready >= 0 else { continue }
      if entries[0].revents != 0 {
        let news = endpoint.takeNews()
        if news.isStopped { break }
        if let metrics = news.metrics {
          isCounting = false
          counted = (MetricsResponse.bytes(metrics.lines), now)
        }
      }
      for (place, entry) in entries.dropFirst(2).enumerated() where entry.revents != 0 {
        go(on: &peers[place])
      }
      if entries[1].revents != 0 { letIn() }
      seat()
      answerWaiting()
      endOverdue()
      for peer in peers where peer.isGone { close(peer.descriptor) }
      peers.removeAll(where: \.isGone)
    }
    for peer in peers { close(peer.descriptor) }
  }

  private var entries: [pollfd] {
    var (bell, listener) = endpoint.entries
    bell.revents = 0
    if now < opensAt { listener.events = 0 }
    return [bell, listener]
      + peers.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
  }

  /// Milliseconds until the first deadline; -1 without a deadline.
  private var timeout: Int32 {
    var due = peers.map(\.end)
    if now < opensAt { due.append(opensAt) }
    for holder in Set(peers.filter { $0.isParked && !$0.isGone }.map(\.holder)) {
      let rivals = MetricsPeer.rivals(of: holder, among: peers) ?? []
      due += rivals.compactMap { peers[$0].expendableAt }
    }
    guard let first = due.min() else { return -1 }
    return Int32(clamping: max(0, first - now) / 1_000_000 + 1)
  }

  private mutating func letIn() {
    for _ in 0..<MetricsEndpoint.Limits.accepted {
      let (descriptor, isExhausted) = endpoint.accept()
      if isExhausted { opensAt = now + MetricsEndpoint.Limits.rest }
      guard let descriptor else { return }
      peers.append(MetricsPeer(descriptor, of: MetricsHolder(descriptor), at: now))
    }
  }

  /// Gives places to the peers that wait for one, in the order in which they connected.
  private mutating func seat() {
    for place in peers.indices where peers[place].isParked && !peers[place].isGone {
      if let rivals = MetricsPeer.rivals(of: peers[place].holder, among: peers) {
        guard let slow = MetricsPeer.expendable(among: peers, rivals, at: now) else { continue }
        peers[slow].isGone = true
      }
      peers[place].hear(endpoint.hosts, at: now)
    }
    let parked = peers.indices.filter { peers[$0].isParked && !peers[$0].isGone }
    var counts: [MetricsHolder: Int] = [:]
    // The newest stay.
    for (count, place) in parked.reversed().enumerated() {
      counts[peers[place].holder, default: 0] += 1
      peers[place].isGone =
        count >= MetricsEndpoint.Limits.parked
        || counts[peers[place].holder, default: 0] > MetricsEndpoint.Limits.parkedOfOne
    }
  }

  /// Continues with a peer whose descriptor is ready.
  private func go(on peer: inout MetricsPeer) {
    switch peer.phase {
    case .asking(var request):
      guard let bytes = receive(from: &peer) else { return }
      if peer.firstByteAt == nil { peer.firstByteAt = now }
      switch request.take(bytes) {
      case nil: peer.phase = .asking(request)
      case .metrics:
        peer.phase = .waiting
        peer.end = now + MetricsEndpoint.Limits.answer
      case .refusal(let status): tell(MetricsResponse.bytes(status), to: &peer)
      }
    case .parked, .waiting:
      // The only event of interest is its end.
      peer.isGone = true
    case .taking(let bytes): send(bytes, to: &peer)
    case .leaving: _ = receive(from: &peer)
    }
  }

  /// Sends the metrics to waiting peers; if they are too old, asks for new ones.
  private mutating func answerWaiting() {
    guard peers.contains(where: \.isWaiting) else { return }
    if let counted, now - counted.at < MetricsEndpoint.Limits.freshness {
      for place in peers.indices where peers[place].isWaiting {
        tell(counted.bytes, to: &peers[place])
      }
    } else if !isCounting {
      isCounting = true
      count()
    }
  }

  private mutating func endOverdue() {
    for place in peers.indices where peers[place].end <= now {
      switch peers[place].phase {
      case .asking: tell(MetricsResponse.bytes(.tooLate), to: &peers[place])
      case .parked, .waiting: tell(MetricsResponse.bytes(.busy), to: &peers[place])
      case .taking, .leaving: peers[place].isGone = true
      }
    }
  }

  private func tell(_ bytes: [UInt8], to peer: inout MetricsPeer) {
    peer.end = now + MetricsEndpoint.Limits.patience
    send(bytes[...], to: &peer)
  }

  /// Sends as much as the system takes.
  private func send(_ bytes: ArraySlice<UInt8>, to peer: inout MetricsPeer) {
    var rest = bytes
    while !rest.isEmpty {
      #if canImport(Glibc)
      let flags = Int32(MSG_NOSIGNAL)
      let count = rest.withUnsafeBytes {
        Glibc.send(peer.descriptor, $0.baseAddress, $0.count, flags)
      }
      #else
      let count = rest.withUnsafeBytes {
        Darwin.send(peer.descriptor, $0.baseAddress, $0.count, 0)
      }
      #endif
      guard count > 0 else {
        peer.isGone = ![EAGAIN, EINTR].contains(errno)
        peer.phase = .taking(rest)
        return
      }
      rest = rest.dropFirst(count)
    }
    // To close a connection with unread input would discard the response.
    shutdown(peer.descriptor, Int32(SHUT_WR))
    peer.phase = .leaving
    peer.end = now + MetricsEndpoint.Limits.leaving
  }

  /// The bytes that a peer has sent; nil if there are no new ones, or it has closed.
  private func receive(from peer: inout MetricsPeer) -> ArraySlice<UInt8>? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(peer.descriptor, &buffer, buffer.count, 0)
    if count > 0 { return buffer[..<count] }
    peer.isGone = count == 0 || ![EAGAIN, EINTR].contains(errno)
    return nil
  }
}
