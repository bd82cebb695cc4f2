import StoreHistory
import StoreServer

/// What the log has of connections that were refused or shut down: of each holder the first one at
/// once, and of those that follow within ten seconds how many they were.
///
/// Whoever comes again and again to be shut down must not fill the log, nor hide others.
struct CutReports {
  /// Nanoseconds between two lines.
  static let interval: Int64 = 10_000_000_000
  /// Lines that are told apart by holder; beyond them one is shared.
  private static let mostLines = 64

  /// What was done with a connection.
  enum Kind: Hashable, Sendable {
    case closed
    /// There was no room for it, or it came too fast.
    case refused
    /// Nothing is granted to its peer.
    case unknown

    fileprivate var verb: String { self == .closed ? "closed" : "refused" }
  }

  /// A connection that was refused or shut down.
  struct Cut: Hashable, Sendable {
    var kind = Kind.closed
    /// Its serial; nil where that was not known yet.
    var connection: UInt64?
    /// Who was at its other end; nil where nobody vouches for that.
    var peer: String?
    var holder = Holder.unknown
    /// What it did, or was, as the rest of a sentence.
    var reason: String
  }

  /// One line, and what belongs to it by names.
  struct Line: Hashable, Sendable {
    var kind = Kind.closed
    var text: String
    let details: [String: String]
  }

  private struct Key: Hashable {
    let holder: Holder
    let kind: Kind
  }

  private struct Report {
    /// The last one of those that were not told yet, and how many they are.
    var untold: (last: Cut, count: Int)?
    var toldAt: Int64?

    /// When there is something to be said; nil when there is nothing.
    var due: Int64? { untold == nil ? nil : toldAt.map { $0 + interval } ?? 0 }
  }

  /// Bounded by ``mostLines``, and one more of each kind.
  private var reports: [Key: Report] = [:]

  /// Takes note of a connection.
  mutating func add(_ cut: Cut) {
    var key = Key(holder: cut.holder, kind: cut.kind)
    if reports[key] == nil, reports.count >= Self.mostLines {
      key = Key(holder: .unknown, kind: cut.kind)
    }
    let count = reports[key]?.untold?.count ?? 0
    reports[key, default: Report()].untold = (cut, count + 1)
  }

  /// When there is something to be said; nil when there is nothing.
  var due: Int64? { reports.values.compactMap(\.due).min() }

  /// Takes what is to be said now.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds of a clock that does not go back.
  ///   - isLast: Whether nothing can be said later.
  /// - Returns: A line for each holder and kind.
  mutating func take(at now: Int64, isLast: Bool = false) -> [Line] {
    var lines: [Line] = []
    for (key, report) in reports {
      if let (last, count) = report.untold {
        guard isLast || report.due.map({ $0 <= now }) ?? false else { continue }
        lines.append(Self.line(last, count))
        reports[key] = Report(toldAt: now)
      } else if report.toldAt.map({ $0 + Self.interval <= now }) ?? true {
        reports[key] = nil
      }
    }
    return lines
  }

  private static func line(_ last: Cut, _ count: Int) -> Line {
    var details: [String: String] = [:]
    // What was refused has no number.
    if last.kind == .closed { details["connection"] = last.connection.map { "\($0)" } ?? "unknown" }
    details["peer"] = last.peer
    let verb = last.kind.verb
    let text =
      count == 1
      ? "A connection was \(verb): it \(last.reason)."
      : "\(count) connections were \(verb). The last one \(last.reason)."
    return Line(kind: last.kind, text: text, details: details)
  }
}
