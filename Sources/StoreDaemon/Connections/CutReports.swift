/// What the log has of connections that were shut down: the first one at once, and of those that
/// follow within ten seconds how many they were.
///
/// Whoever comes again and again to be shut down must not fill the log.
struct CutReports {
  /// Nanoseconds between two lines.
  static let interval: Int64 = 10_000_000_000

  /// A connection that was shut down.
  struct Cut: Hashable, Sendable {
    /// Its serial; nil where that was not known yet.
    var connection: UInt64?
    /// Who was at its other end; nil where nobody vouches for that.
    var peer: String?
    /// What it did, as the rest of a sentence.
    var reason: String
  }

  /// One line, and what belongs to it by names.
  struct Line: Hashable, Sendable {
    var text: String
    var details: [String: String]
  }

  /// The last one of those that were not told yet, and how many they are.
  private var untold: (last: Cut, count: Int)?
  private var toldAt: Int64?

  /// Takes note of a connection.
  mutating func add(_ cut: Cut) { untold = (cut, (untold?.count ?? 0) + 1) }

  /// When there is something to be said; nil when there is nothing.
  var due: Int64? { untold == nil ? nil : toldAt.map { $0 + Self.interval } ?? 0 }

  /// Takes what is to be said now.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds of a clock that does not go back.
  ///   - isLast: Whether nothing can be said later.
  /// - Returns: The line; nil for none.
  mutating func take(at now: Int64, isLast: Bool = false) -> Line? {
    guard let (last, count) = untold, let due, isLast || due <= now else { return nil }
    untold = nil
    toldAt = now
    var details = ["connection": last.connection.map { "\($0)" } ?? "unknown"]
    details["peer"] = last.peer
    let text =
      count == 1
      ? "A connection was closed: it \(last.reason)."
      : "\(count) connections were closed. The last one \(last.reason)."
    return Line(text: text, details: details)
  }
}
