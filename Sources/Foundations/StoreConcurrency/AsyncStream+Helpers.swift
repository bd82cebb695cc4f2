extension AsyncStream {
  /// A stream of the elements of another sequence, which ends where that ends or fails.
  ///
  /// Nothing is buffered: an element is asked for when this stream is.
  public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
    let source = PulledSequence(sequence)
    self.init { try? await source.next() }
  }

  /// A stream that never gives an element nor ends, until its task is cancelled.
  public static var never: AsyncStream { AsyncStream { _ in } }

  /// A stream that has ended.
  public static var finished: AsyncStream { AsyncStream { $0.finish() } }
}

extension AsyncThrowingStream where Failure == any Error {
  /// A stream of the elements of another sequence, which ends or fails where that does.
  ///
  /// Nothing is buffered: an element is asked for when this stream is.
  public init<S: AsyncSequence & Sendable>(_ sequence: S) where S.Element == Element {
    let source = PulledSequence(sequence)
    self.init { try await source.next() }
  }

  /// A stream that never gives an element nor ends, until its task is cancelled.
  public static var never: AsyncThrowingStream { AsyncThrowingStream { _ in } }

  /// A stream that has ended, or failed at once.
  public static func finished(throwing error: Failure? = nil) -> AsyncThrowingStream {
    AsyncThrowingStream { $0.finish(throwing: error) }
  }
}

extension AsyncSequence where Self: Sendable {
  /// This sequence as a stream, which ends where this one ends or fails.
  public func eraseToStream() -> AsyncStream<Element> {
    AsyncStream(self)
  }

  /// This sequence as a stream, which ends or fails where this one does.
  public func eraseToThrowingStream() -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream(self)
  }
}

/// A sequence that is iterated from the first time that it is asked for an element.
// Sendable: a stream made by unfolding asks for one element at a time, and it is its only user.
private final class PulledSequence<S: AsyncSequence & Sendable>: @unchecked Sendable {
  private let sequence: S
  private var iterator: S.AsyncIterator?

  init(_ sequence: S) {
    self.sequence = sequence
  }

  func next() async throws -> S.Element? {
    var current = iterator ?? sequence.makeAsyncIterator()
    let element = try await current.next()
    iterator = current
    return element
  }
}
