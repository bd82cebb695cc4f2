import Foundation
package import StoreDependencies

/// A schedule of a feature, as a daemon keeps it.
package struct DurableTimer: Hashable, Sendable {
  /// The greatest number of bytes of an id.
  package static let mostIDBytes = 128
  /// The assumed bytes of an action without a form.
  private static let unknownBytes = 1024
  /// The greatest date and interval, in seconds: about 30,000 years.
  package static let greatestDate = 1e12

  /// The id by which the feature cancels it.
  package var id: String
  /// The path of the action that it sends, as in ``InterruptedEffect/path``.
  package var path: [String]
  /// The number of children with an identity between the root and the feature.
  package var depth: Int
  /// When it fires next, in seconds since 2001.
  package var due: Double
  /// The time between two firings, in seconds; nil if it fires once.
  package var interval: Double?
  package var missed: MissedFirings
  /// The revision whose reducer has returned it.
  package var revision: UInt64
  /// The origin of the action that has led to it.
  package var origin: ActionOrigin
  /// The durable form of the action that it sends; empty if it has none.
  package var action: [UInt8]

  package init(
    id: String,
    path: [String],
    depth: Int,
    due: Double,
    interval: Double?,
    missed: MissedFirings,
    revision: UInt64,
    origin: ActionOrigin,
    action: [UInt8],
  ) {
    self.id = id
    self.path = path
    self.depth = depth
    self.due = due
    self.interval = interval
    self.missed = missed
    self.revision = revision
    self.origin = origin
    self.action = action
  }

  /// Returns a date or an interval within the limits.
  package static func bounded(_ seconds: Double) -> Double {
    min(max(seconds, -greatestDate), greatestDate)
  }

  /// The memory and the room in a journal that it takes, in bytes.
  ///
  /// An action without a form has an unknown size, and counts as a short one.
  package var bytes: Int {
    let texts = path.reduce(id.utf8.count) { $0 + $1.utf8.count }
    return (action.isEmpty ? Self.unknownBytes : action.count) + texts + 256
  }
}

/// A schedule that a journal contains at a start of the daemon.
package struct RestoredTimer: Hashable, Sendable {
  package var number: UInt64
  package var timer: DurableTimer
  /// Whether it stays asleep, because it was firing at several crashes.
  package var isHeld: Bool

  package init(number: UInt64, timer: DurableTimer, isHeld: Bool = false) {
    self.number = number
    self.timer = timer
    self.isHeld = isHeld
  }
}

/// A schedule for people.
package struct ListedTimer: Hashable, Sendable {
  /// Whether a schedule fires.
  package enum Status: String, Hashable, Sendable {
    case armed
    /// It was firing at several crashes.
    case held
    /// The daemon has started without restored work.
    case heldBack
    /// This build cannot read its action.
    case unreadable
  }

  package var number: UInt64
  package var timer: DurableTimer
  package var status: Status
}

extension Double {
  /// Seconds since 2001 as milliseconds since 1970; 0 for earlier dates.
  package var wallMilliseconds: UInt64 {
    UInt64(clamping: Int64(max(0, (self + Date.timeIntervalBetween1970AndReferenceDate) * 1_000)))
  }
}
