import StoreReplication

/// What the log has of connections that were shut down: of each holder the first one at once, and
/// of those that follow within ten seconds how many they were.
///
/// Whoever comes again and again to be shut down must not fill the log, nor hide others.
struct CutReports {
  /// Nanoseconds between two lines.
  static let interval: Int64 = 10_000_000_000
  /// Holders that are told apart; more of them share a line.
  private static let mostHolders = 64

  /// A connection that was shut down.
  struct Cut: Hashable, Sendable {
    /// Its serial; nil where that was not known yet.
    var connection: UInt64?
    /// Who was at its other end; nil where nobody vouches for that.
    var peer: String?
    var holder = Holder.unknown
    /// What it did, as the rest of a sentence.
    var reason: String
  }

  /// One line, and what belongs to it by names.
  struct Line: Hashable, Sendable {
    var text: String
    var details: [String: String]
  }

  private struct Report {
    /// The last one of those that were not told yet, and how many they are.
    var untold: (last: Cut, count: Int)?
    var toldAt: Int64?

    /// When there is something to be said; nil when there is nothing.
    var due: Int64? { untold == nil ? nil : toldAt.map { $0 + interval } ?? 0 }
  }

  private var reports: [Holder: Report] = [:]

  /// Takes note of a connection.
  mutating func add(_ cut: Cut) {
    let isNew = reports[cut.holder] == nil && reports.count >= Self.mostHolders
    let holder = isNew ? .unknown : cut.holder
    let count = reports[holder]?.untold?.count ?? 0
    reports[holder, default: Report()].untold = (cut, count + 1)
  }

  /// When there is something to be said; nil when there is nothing.
  var due: Int64? { reports.values.compactMap(\.due).min() }

  /// Takes what is to be said now.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds of a clock that does not go back.
  ///   - isLast: Whether nothing can be said later.
  /// - Returns: A line for each holder.
  mutating func take(at now: Int64, isLast: Bool = false) -> [Line] {
    var lines: [Line] = []
    for (holder, report) in reports {
      if let (last, count) = report.untold {
        guard isLast || report.due.map({ $0 <= now }) ?? false else { continue }
        lines.append(Self.line(last, count))
        reports[holder] = Report(toldAt: now)
      } else if report.toldAt.map({ $0 + Self.interval <= now }) ?? true {
        reports[holder] = nil
      }
    }
    return lines
  }

  private static func line(_ last: Cut, _ count: Int) -> Line {
    var details = ["connection": last.connection.map { "\($0)" } ?? "unknown"]
    details["peer"] = last.peer
    let text =
      count == 1
      ? "A connection was closed: it \(last.reason)."
      : "\(count) connections were closed. The last one \(last.reason)."
    return Line(text: text, details: details)
  }
}
