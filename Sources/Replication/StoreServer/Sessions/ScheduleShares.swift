import StoreActor
import StoreHistory
import StoreProtocol

/// The holders' shares of schedules.
@MainActor
final class ScheduleShares: ScheduleObserver {
  private var counts = Shares()
  private var bytes = Shares()
  private let limits: Limits
  private let access: Access
  /// Called for each kept schedule that does not go on, with the reason.
  var onLost: (_ timer: DurableTimer, _ reason: String) -> Void = { _, _ in }

  init(_ limits: Limits, _ access: Access) {
    self.limits = limits
    self.access = access
  }

  /// The number of all schedules.
  var count: Int { counts.all }

  /// The holder of a schedule; nil for the daemon's own program.
  private func holder(of timer: DurableTimer) -> Holder? {
    if case .process = timer.origin.identity { return nil }
    return access.grants.holder(of: timer.origin.identity)
  }

  func refusal(of timer: DurableTimer) -> Refusal? {
    let hasRoom: Bool
    if let holder = holder(of: timer) {
      hasRoom =
        counts.hasRoom(for: holder, in: limits.schedules)
        && bytes.hasRoom(for: timer.bytes, of: holder, in: limits.scheduleBytes)
    } else {
      hasRoom =
        counts.all < limits.schedules.all
        && bytes.all + timer.bytes <= limits.scheduleBytes.all
    }
    if hasRoom { return nil }
    return .ofSchedule(
      "The daemon keeps \(counts.all) schedules of \(bytes.all >> 10) KiB, and has no "
        + "room for another one of yours. Cancel some of them."
    )
  }

  func count(_ timer: DurableTimer, _ change: Int) {
    let holder = holder(of: timer) ?? .program(user: 0, process: 0)
    counts.add(change, to: holder)
    bytes.add(change * timer.bytes, to: holder)
  }

  func dropped(_ timer: DurableTimer) { onLost(timer, "was dropped: its child is absent") }

  func sleeps(_ timer: DurableTimer, _ status: ListedTimer.Status) {
    switch status {
    case .armed, .heldBack: break
    case .held:
      onLost(timer, "is held: the daemon ended twice while it was firing; see storectl forgive")
    case .unreadable: onLost(timer, "stays asleep: this build cannot read its action")
    }
  }
}
