import StoreHistory
import StoreServer

/// Log lines about connections that were refused or shut down.
///
/// Each holder's first connection is reported at once; one line counts those of the next ten
/// seconds together.
///
/// A peer that is cut again and again must neither fill the log nor hide other peers.
struct CutReports {
  /// Nanoseconds between two lines.
  static let interval: Int64 = 10_000_000_000
  /// Lines that are separate for each holder; further holders share one.
  private static let mostLines = 64

  /// The fate of a connection.
  enum Kind: Hashable, Sendable {
    case closed
    /// It exceeded a limit of number or rate.
    case refused
    /// Its peer has no grant.
    case unknown

    fileprivate var verb: String { self == .closed ? "closed" : "refused" }
  }

  /// A connection that was refused or shut down.
  struct Cut: Hashable, Sendable {
    var kind = Kind.closed
    /// Its serial; nil if it was not known yet.
    var connection: UInt64?
    /// The peer at its other end; nil if it is not authenticated.
    var peer: String?
    var holder = Holder.unknown
    /// The reason, as the rest of a sentence.
    var reason: String
  }

  /// One log line with its metadata.
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
    /// The last unreported cut, and the number of unreported ones.
    var untold: (last: Cut, count: Int)?
    var toldAt: Int64?

    /// The time of the next report; nil if no cut is unreported.
    var due: Int64? { untold == nil ? nil : toldAt.map { $0 + interval } ?? 0 }
  }

  /// Bounded by ``mostLines``, and one more of each kind.
  private var reports: [Key: Report] = [:]

  /// Records a cut.
  mutating func add(_ cut: Cut) {
    var key = Key(holder: cut.holder, kind: cut.kind)
    if reports[key] == nil, reports.count >= Self.mostLines {
      key = Key(holder: .unknown, kind: cut.kind)
    }
    let count = reports[key]?.untold?.count ?? 0
    reports[key, default: Report()].untold = (cut, count + 1)
  }

  /// The time of the next report; nil if no cut is unreported.
  var due: Int64? { reports.values.compactMap(\.due).min() }

  /// Takes the lines that are due.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds of a monotonic clock.
  ///   - isLast: Whether this is the last report.
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
    // A refused connection has no serial.
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
