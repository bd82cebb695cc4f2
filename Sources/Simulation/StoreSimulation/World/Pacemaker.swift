/// Schedules one turn at the earliest of the requested moments.
@MainActor
final class Pacemaker {
  private let clock: VirtualClock
  private var plannedAt: Int64?
  var turn: @MainActor () -> Void = {}

  init(_ clock: VirtualClock) { self.clock = clock }

  func plan(at time: Int64) {
    let time = max(time, clock.now)
    if let plannedAt, plannedAt <= time { return }
    plannedAt = time
    clock.at(time) { [weak self] in
      guard let self, self.plannedAt == time else { return }
      self.plannedAt = nil
      self.turn()
    }
  }

  func stop() { plannedAt = .min }
}
