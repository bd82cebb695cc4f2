@testable import StoreProtocol

/// What is on its way in one direction, in its order.
@MainActor
final class Pipe<Element> {
  /// Whether what is in it waits.
  var isHeld = false
  /// Whether what comes is lost.
  var isBroken = false
  /// Makes another one of what comes.
  var alter: (Element) -> Element = { $0 }
  private(set) var waiting: [Element] = []

  func append(_ element: Element) { if !isBroken { waiting.append(alter(element)) } }

  /// Takes the next one that has arrived; nil when none has.
  func next() -> Element? { hasArrived ? waiting.removeFirst() : nil }

  /// Whether something has arrived.
  var hasArrived: Bool { !isHeld && !waiting.isEmpty }

  /// Loses what is on its way.
  func lose(_ count: Int = .max) { waiting.removeFirst(min(count, waiting.count)) }
}

/// The one clock of a bench, which a test lets go on.
@MainActor
final class BenchClock {
  var now = Moment(instant: Instant(nanoseconds: 1_000_000_000), wallMilliseconds: 1_000_000)

  func advance(by duration: Duration) {
    now.instant = now.instant.advanced(by: duration)
    now.wallMilliseconds += UInt64(duration.wholeMilliseconds)
  }
}
