import StoreHistory
import StoreProtocol

/// Limits the notices for the daemon's operator.
///
/// Some notices of each holder are reported at once; those of the next ten seconds are reported as
/// their number and the last one.
///
/// A peer with many notices, on one connection or on several, does not fill the log.
struct NoticeBoard {
  /// The time that one summary line covers.
  static let interval: Duration = .seconds(10)
  /// The most lines; further holders share a line.
  private static let mostHolders = 256

  private struct Key: Hashable {
    let holder: Holder
    let kind: ServerNotice.Kind
  }

  private struct Line {
    var since: Instant
    /// The number of notices that were reported at once.
    var told = 0
    /// The number of notices that were not, and the last one.
    var untold: (count: Int, last: ServerNotice)?
  }

  /// Bounded by ``mostHolders``.
  private var lines: [Key: Line] = [:]
  /// The notices that are reported at the end of the turn.
  ///
  /// Bounded by ``mostHolders``, and for each of them by the number that is reported at once.
  private var ready: [ServerNotice] = []
  /// When the next summary line is reported; distant without one.
  private(set) var due = Instant.distantFuture

  /// Adds a notice that the daemon causes itself.
  mutating func add(_ notice: ServerNotice) { ready.append(notice) }

  /// Adds a notice that a holder causes.
  mutating func add(_ notice: ServerNotice, of holder: Holder, at now: Instant) {
    var key = Key(holder: holder, kind: notice.kind)
    if lines[key] == nil, lines.count >= Self.mostHolders {
      lines = lines.filter { !isOver($0.value, at: now) }
      if lines.count >= Self.mostHolders { key = Key(holder: .unknown, kind: notice.kind) }
    }
    var line = lines[key] ?? Line(since: now)
    if isOver(line, at: now) { line = Line(since: now) }
    if line.told < notice.kind.atOnce {
      line.told += 1
      ready.append(notice)
    } else {
      line.untold = ((line.untold?.count ?? 0) + 1, notice)
      due = min(due, line.since.advanced(by: Self.interval))
    }
    lines[key] = line
  }

  private func isOver(_ line: Line, at now: Instant) -> Bool {
    line.untold == nil && line.since.advanced(by: Self.interval) <= now
  }

  /// Takes the notices that are to be reported now.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - isLast: Whether this is the last call.
  /// - Returns: The notices.
  mutating func take(at now: Instant, isLast: Bool = false) -> [ServerNotice] {
    if isLast || due <= now { closeLines(at: now, isLast: isLast) }
    guard !ready.isEmpty else { return [] }
    defer { ready = [] }
    return ready
  }

  private mutating func closeLines(at now: Instant, isLast: Bool) {
    due = .distantFuture
    for (key, line) in lines {
      guard let (count, last) = line.untold else { continue }
      let end = line.since.advanced(by: Self.interval)
      guard isLast || end <= now else {
        due = min(due, end)
        continue
      }
      var notice = last
      notice.text = "\(count) more like this in ten seconds. The last one: \(last.text)"
      ready.append(notice)
      // The holder continues with one line for each interval.
      lines[key] = Line(since: now, told: key.kind.atOnce)
    }
  }
}

extension ServerNotice.Kind {
  /// The number of a holder's notices that are reported at once: one warning, and as many audit
  /// notices as a script opens sessions.
  fileprivate var atOnce: Int {
    switch self {
    case .warning: 1
    case .audit: 32
    }
  }
}
