/// A connection of a read-only shared value to its external source.
///
/// For values that can also be saved, see ``SharedKey``.
public protocol SharedReaderKey<Value>: Sendable {
  /// The type of the shared value.
  associatedtype Value: Sendable

  /// The type of the keys' ids.
  associatedtype ID: Hashable = Self

  /// Keys with one id share one value.
  var id: ID { get }

  /// Reads the value from its source.
  ///
  /// Called when the value is shared for the first time, and when a caller requests another read.
  /// The continuation is resumed once: at once, or later and from any thread. If it is released
  /// without that, an issue is reported, and the value is unchanged.
  func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>)

  /// Notifies the subscriber of external changes for as long as the subscription is kept.
  func subscribe(
    context: LoadContext<Value>,
    subscriber: SharedSubscriber<Value>,
  ) -> SharedSubscription
}

extension SharedReaderKey where ID == Self {
  /// The key itself.
  public var id: ID { self }
}

extension SharedReaderKey {
  /// The key with a default value for a source without a value.
  public typealias Default = _SharedKeyDefault<Self>
}

/// A connection of a shared value to its external storage, for reads and saves.
///
/// There are keys for files, `fileStorage`, for settings, `appStorage`, and for memory, `inMemory`.
/// A custom key:
///
/// ```swift
/// struct BoxKey: SharedKey {
///   let name: String
///   let box: LockIsolated<[String: Int]>
///
///   var id: String { name }
///
///   func load(context: LoadContext<Int>, continuation: LoadContinuation<Int>) {
///     continuation.resume(with: .success(box.value[name]))
///   }
///
///   func subscribe(
///     context: LoadContext<Int>,
///     subscriber: SharedSubscriber<Int>,
///   ) -> SharedSubscription {
///     SharedSubscription {}
///   }
///
///   func save(_ value: Int, context: SaveContext, continuation: SaveContinuation) {
///     box.withValue { $0[name] = value }
///     continuation.resume()
///   }
/// }
/// ```
public protocol SharedKey<Value>: SharedReaderKey {
  /// Saves a value.
  ///
  /// Called after each change, in order. The continuation is resumed once: at once, or later and
  /// from any thread. If it is released without that, an issue is reported.
  func save(_ value: Value, context: SaveContext, continuation: SaveContinuation)
}

/// The reason for a read.
public enum LoadContext<Value> {
  /// It is shared for the first time, with a value that applies if the source has none.
  case initialValue(Value)
  /// A caller has requested it.
  case userInitiated

  /// The value that applies if the source has none; nil if a caller requested the read.
  public var initialValue: Value? {
    if case .initialValue(let value) = self { value } else { nil }
  }
}

extension LoadContext: Sendable where Value: Sendable {}
extension LoadContext: Equatable where Value: Equatable {}
extension LoadContext: Hashable where Value: Hashable {}

/// The reason for a save.
public enum SaveContext: Hashable, Sendable {
  /// It was changed.
  case didSet
  /// A caller has requested it.
  case userInitiated
}

/// Receives a key's result of a read, once.
public struct LoadContinuation<Value>: Sendable {
  private let answer: KeyAnswer<Value?>

  init(_ answer: KeyAnswer<Value?>) { self.answer = answer }

  /// Creates a continuation for a key that forwards its request to another one.
  ///
  /// - Parameters:
  ///   - description: The key's name in the report if it forgets to resume this.
  ///   - callback: Called once, with the other key's answer. A key that forgets to answer has
  ///     no value.
  public init(
    _ description: @autoclosure @escaping @Sendable () -> String = "",
    callback: @escaping @Sendable (Result<Value?, any Error>) -> Void,
  ) {
    answer = KeyAnswer(to: "load", of: description) { callback($0 ?? .success(nil)) }
  }

  /// Answers with a value.
  public func resume(returning value: Value) { resume(with: .success(value)) }

  /// Answers that there is no value, so that the initial one applies.
  public func resumeReturningInitialValue() { resume(with: .success(nil)) }

  /// Answers that the value cannot be read.
  public func resume(throwing error: any Error) { resume(with: .failure(error)) }

  /// Answers with a value, nil for the initial one, or an error.
  public func resume(with result: Result<Value?, any Error>) { answer.resume(with: result) }
}

/// Receives a key's result of a save, once.
public struct SaveContinuation: Sendable {
  private let answer: KeyAnswer<Void>

  init(_ answer: KeyAnswer<Void>) { self.answer = answer }

  /// Creates a continuation for a key that forwards its request to another one.
  ///
  /// - Parameters:
  ///   - description: The key's name in the report if it forgets to resume this.
  ///   - callback: Called once, with the other key's answer. A key that forgets to answer is
  ///     treated as having saved the value.
  public init(
    _ description: @autoclosure @escaping @Sendable () -> String = "",
    callback: @escaping @Sendable (Result<Void, any Error>) -> Void,
  ) {
    answer = KeyAnswer(to: "save", of: description) { callback($0 ?? .success(())) }
  }

  /// Answers that the value is saved.
  public func resume() { resume(with: .success(())) }

  /// Answers that the value cannot be saved.
  public func resume(throwing error: any Error) { resume(with: .failure(error)) }

  /// Answers that the value is saved, or with an error.
  public func resume(with result: Result<Void, any Error>) { answer.resume(with: result) }
}

/// Receives a key's notifications of external changes.
///
/// A value that this process has changed meanwhile, or is saving, takes precedence.
public struct SharedSubscriber<Value>: Sendable {
  /// Takes a value that was current at a version of the shared values.
  private let receive: @Sendable (Result<Value?, any Error>, _ version: UInt64) -> Bool
  private let setLoading: @Sendable (Bool) -> Void

  init(
    receive: @escaping @Sendable (Result<Value?, any Error>, _ version: UInt64) -> Bool,
    setLoading: @escaping @Sendable (Bool) -> Void,
  ) {
    self.receive = receive
    self.setLoading = setLoading
  }

  /// Creates a subscriber for a key that follows another one.
  ///
  /// - Parameters:
  ///   - callback: Called with the values that the other key yields: a value, nil for the initial
  ///     one, or an error.
  ///   - onLoading: Called when a value begins to load, and when that has ended.
  public init(
    callback: @escaping @Sendable (Result<Value?, any Error>) -> Void,
    onLoading: (@Sendable (Bool) -> Void)? = nil,
  ) {
    receive = { result, _ in
      callback(result)
      return true
    }
    setLoading = onLoading ?? { _ in }
  }

  /// Yields another value.
  public func yield(_ value: Value) { yield(with: .success(value)) }

  /// Yields the absence of a value, so that the initial one applies.
  public func yieldReturningInitialValue() { yield(with: .success(nil)) }

  /// Yields an error: the value cannot be read any more.
  public func yield(throwing error: any Error) { yield(with: .failure(error)) }

  /// Yields another value, nil for the initial one, or an error.
  public func yield(with result: Result<Value?, any Error>) {
    _ = receive(result, SharedLock.version)
  }

  /// Yields another value.
  ///
  /// - Parameter value: The value.
  /// - Returns: Whether it is taken; false if this process has a newer one that it is about
  ///   to save.
  package func take(_ value: Value) -> Bool { receive(.success(value), SharedLock.version) }

  /// Yields the result of a read, which runs here: a change by this process since the read began
  /// takes precedence.
  public func yield(reading read: () throws -> Value?) {
    let version = SharedLock.version
    _ = receive(Result(catching: read), version)
  }

  /// Yields whether a value is being loaded.
  public func yieldLoading(_ isLoading: Bool = true) { setLoading(isLoading) }
}

/// A registration for external changes, until it is cancelled or released.
public final class SharedSubscription: Sendable {
  private let subscription: StoreSubscription

  /// Creates a subscription.
  ///
  /// - Parameter cancel: Called once, when the subscription ends.
  public init(_ cancel: @escaping @Sendable () -> Void) {
    subscription = StoreSubscription(onCancel: cancel)
  }

  /// Ends the subscription.
  public func cancel() { subscription.cancel() }
}
