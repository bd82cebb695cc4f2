import StoreHistory
import StoreProtocol

/// What the daemon's operator is told: of each holder some lines at once, and of those that follow
/// within ten seconds how many they were, and the last one.
///
/// A peer that causes line after line, on one connection or on many, does not fill the log.
struct NoticeBoard {
  /// The time that one line stands for.
  static let interval: Duration = .seconds(10)
  /// Holders that are told apart; more of them share a line.
  private static let mostHolders = 256

  private struct Key: Hashable {
    let holder: Holder
    let kind: ServerNotice.Kind
  }

  private struct Line {
    var since: Instant
    /// How many were told at once.
    var told = 0
    /// How many were not, and the last one.
    var untold: (count: Int, last: ServerNotice)?
  }

  /// Bounded by ``mostHolders``.
  private var lines: [Key: Line] = [:]
  /// What is told at the end of the turn.
  ///
  /// Bounded by ``mostHolders``, of each of them as many as are told at once.
  private var ready: [ServerNotice] = []
  /// When a line is told that stands for several notices; distant if there is none.
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

  /// Takes what is to be told now.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - isLast: Whether nothing can be told later.
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
      // The holder goes on with one line for each interval.
      lines[key] = Line(since: now, told: key.kind.atOnce)
    }
  }
}

extension ServerNotice.Kind {
  /// How many of a holder are told at once: a warning, and as many sessions as a script opens.
  fileprivate var atOnce: Int {
    switch self {
    case .warning: 1
    case .audit: 32
    }
  }
}
