import StoreActorSchedulers

/// The running work of one store, by cancellation id.
@MainActor
final class CancellationTable {
  /// The table of the store whose effect is running; otherwise the process's own.
  @TaskLocal static var current = CancellationTable()

  private var running: [AnyHashable: [ObjectIdentifier: Lifetime]] = [:]

  nonisolated init() {}

  func insert(_ lifetime: Lifetime, for id: AnyHashable) {
    running[id, default: [:]][ObjectIdentifier(lifetime)] = lifetime
  }

  func remove(_ lifetime: Lifetime, for id: AnyHashable) {
    running[id]?[ObjectIdentifier(lifetime)] = nil
    if running[id]?.isEmpty == true { running[id] = nil }
  }

  func cancel(_ id: AnyHashable) {
    for lifetime in (running[id] ?? [:]).values { lifetime.end() }
  }

  /// The state of throttled effects with an id: the time of the last output, and the output
  /// that waits.
  struct Throttle {
    var last: SchedulerTime
    var waiting: Any?
  }

  var throttles: [AnyHashable: Throttle] = [:]
}
