@testable import StoreProtocol

/// The messages in flight in one direction, in order.
@MainActor
final class Pipe<Element> {
  /// Whether its messages wait.
  var isHeld = false
  /// Whether new messages are lost.
  var isBroken = false
  /// Transforms each new message.
  var alter: (Element) -> Element = { $0 }
  private(set) var waiting: [Element] = []

  func append(_ element: Element) { if !isBroken { waiting.append(alter(element)) } }

  /// Removes and returns the next message that has arrived; nil if there is no such message.
  func next() -> Element? { hasArrived ? waiting.removeFirst() : nil }

  /// Whether a message has arrived.
  var hasArrived: Bool { !isHeld && !waiting.isEmpty }

  /// Loses messages in flight.
  func lose(_ count: Int = .max) { waiting.removeFirst(min(count, waiting.count)) }
}

/// The single clock of a bench, which a test advances.
@MainActor
final class BenchClock {
  var now = Moment(instant: Instant(nanoseconds: 1_000_000_000), wallMilliseconds: 1_000_000)

  func advance(by duration: Duration) {
    now.instant = now.instant.advanced(by: duration)
    now.wallMilliseconds += UInt64(duration.wholeMilliseconds)
  }
}
