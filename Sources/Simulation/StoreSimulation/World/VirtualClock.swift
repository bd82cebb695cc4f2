/// A clock that jumps from one event to the next, without real waiting.
@MainActor
final class VirtualClock {
  private struct Entry {
    let time: Int64
    let order: UInt64
    let body: @MainActor () -> Void

    func precedes(_ other: Entry) -> Bool {
      time != other.time ? time < other.time : order < other.order
    }
  }

  private(set) var now: Int64 = 0
  private(set) var steps = 0
  private var nextOrder: UInt64 = 0
  /// A binary heap, the earliest first.
  private var entries: [Entry] = []

  /// Runs `body` at a moment, after all earlier calls for the same moment.
  func at(_ time: Int64, _ body: @escaping @MainActor () -> Void) {
    entries.append(Entry(time: max(time, now), order: nextOrder, body: body))
    nextOrder += 1
    var index = entries.count - 1
    while index > 0, entries[index].precedes(entries[(index - 1) / 2]) {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  func after(_ nanoseconds: Int64, _ body: @escaping @MainActor () -> Void) {
    at(now + nanoseconds, body)
  }

  /// Runs all events up to a moment.
  func run(until end: Int64) {
    while let first = entries.first, first.time <= end {
      removeFirst()
      now = first.time
      steps += 1
      first.body()
    }
    now = end
  }

  private func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
        if entries[child].precedes(entries[least]) { least = child }
      }
      guard least != index else { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
