import Synchronization

/// A chain of drawings, each caused by a change that the drawing before it made.
///
/// Such a chain is short, unless views change a value in each drawing. Changes by a task that a
/// drawing has started do not extend the chain, since a task may wait for an event.
final class DrawingChain: Sendable {
  @TaskLocal private static var current: DrawingChain?

  private let length: Int
  private let hasEnded = Mutex(false)

  private init(length: Int) { self.length = length }

  /// The number of drawings up to the one that runs the caller; 0 outside of drawings.
  static var length: Int {
    guard let current, !current.hasEnded.withLock({ $0 }) else { return 0 }
    return current.length
  }

  /// Runs a part of a drawing.
  ///
  /// - Parameters:
  ///   - length: The number of drawings up to this one.
  ///   - body: The part.
  /// - Returns: The result of the part.
  @MainActor
  static func draw<Result>(_ length: Int, _ body: () -> Result) -> Result {
    let chain = DrawingChain(length: length)
    defer { chain.hasEnded.withLock { $0 = true } }
    return $current.withValue(chain, operation: body)
  }
}
