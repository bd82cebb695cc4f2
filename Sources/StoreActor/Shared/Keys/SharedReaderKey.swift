/// How a value that is only read is shared with something outside: where it comes from.
///
/// For values that can be saved, too, see ``SharedKey``.
public protocol SharedReaderKey<Value>: Sendable {
  /// What is shared.
  associatedtype Value: Sendable

  /// What keys are told apart by.
  associatedtype ID: Hashable = Self

  /// Keys with one id share one value.
  var id: ID { get }

  /// Reads the value from where it comes from.
  ///
  /// Called when the value is shared for the first time, and when somebody wants it read again. The
  /// continuation is resumed once: at once, or later and from any thread. Where it is let go of
  /// without that, an issue is reported, and the value stays what it is.
  func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>)

  /// Says when the value has changed outside, for as long as the subscription is kept.
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
  /// The key with a value for when there is none outside.
  public typealias Default = _SharedKeyDefault<Self>
}

/// How a value is shared with something outside: where it comes from, and where it is saved.
///
/// There are keys for files, `fileStorage`, for settings, `appStorage`, and for memory, `inMemory`.
/// One of your own:
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
  /// from any thread. Where it is let go of without that, an issue is reported.
  func save(_ value: Value, context: SaveContext, continuation: SaveContinuation)
}

/// Why a value is read.
public enum LoadContext<Value> {
  /// It is shared for the first time, with a value for when there is none outside.
  case initialValue(Value)
  /// Somebody has asked for it.
  case userInitiated

  /// The value for when there is none outside; nil where somebody has asked.
  public var initialValue: Value? {
    if case .initialValue(let value) = self { value } else { nil }
  }
}

extension LoadContext: Sendable where Value: Sendable {}
extension LoadContext: Equatable where Value: Equatable {}
extension LoadContext: Hashable where Value: Hashable {}

/// Why a value is saved.
public enum SaveContext: Hashable, Sendable {
  /// It was changed.
  case didSet
  /// Somebody has asked for it.
  case userInitiated
}

/// What a key tells when it has read a value, once.
public struct LoadContinuation<Value>: Sendable {
  private let answer: KeyAnswer<Value?>

  init(_ answer: KeyAnswer<Value?>) { self.answer = answer }

  /// A continuation for a key that passes its request on to another one.
  ///
  /// - Parameters:
  ///   - description: The key, as it is named where it forgets to resume this.
  ///   - callback: Is called once, with what the other key answers. A key that forgets to answer
  ///     has no value.
  public init(
    _ description: @autoclosure @escaping @Sendable () -> String = "",
    callback: @escaping @Sendable (Result<Value?, any Error>) -> Void,
  ) {
    answer = KeyAnswer(to: "load", of: description) { callback($0 ?? .success(nil)) }
  }

  /// There is a value.
  public func resume(returning value: Value) { resume(with: .success(value)) }

  /// There is none, so it is the initial one.
  public func resumeReturningInitialValue() { resume(with: .success(nil)) }

  /// It cannot be read.
  public func resume(throwing error: any Error) { resume(with: .failure(error)) }

  /// There is a value, or none, or it cannot be read.
  public func resume(with result: Result<Value?, any Error>) { answer.resume(with: result) }
}

/// What a key tells when it has saved a value, once.
public struct SaveContinuation: Sendable {
  private let answer: KeyAnswer<Void>

  init(_ answer: KeyAnswer<Void>) { self.answer = answer }

  /// A continuation for a key that passes its request on to another one.
  ///
  /// - Parameters:
  ///   - description: The key, as it is named where it forgets to resume this.
  ///   - callback: Is called once, with what the other key answers. A key that forgets to answer
  ///     has saved the value.
  public init(
    _ description: @autoclosure @escaping @Sendable () -> String = "",
    callback: @escaping @Sendable (Result<Void, any Error>) -> Void,
  ) {
    answer = KeyAnswer(to: "save", of: description) { callback($0 ?? .success(())) }
  }

  /// It is saved.
  public func resume() { resume(with: .success(())) }

  /// It cannot be saved.
  public func resume(throwing error: any Error) { resume(with: .failure(error)) }

  /// It is saved, or cannot be.
  public func resume(with result: Result<Void, any Error>) { answer.resume(with: result) }
}

/// What a key tells when a value has changed outside.
///
/// A value that this process has changed meanwhile, or is saving, is newer than one that comes.
public struct SharedSubscriber<Value>: Sendable {
  /// Takes a value that was there when the shared values had a version.
  private let receive: @Sendable (Result<Value?, any Error>, _ version: UInt64) -> Bool
  private let setLoading: @Sendable (Bool) -> Void

  init(
    receive: @escaping @Sendable (Result<Value?, any Error>, _ version: UInt64) -> Bool,
    setLoading: @escaping @Sendable (Bool) -> Void,
  ) {
    self.receive = receive
    self.setLoading = setLoading
  }

  /// A subscriber for a key that follows another one.
  ///
  /// - Parameters:
  ///   - callback: Is called with what the other key yields: a value, nil for the initial one, or
  ///     an error.
  ///   - onLoading: Is called when a value is on its way, and when it is not any more.
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

  /// There is another value.
  public func yield(_ value: Value) { yield(with: .success(value)) }

  /// There is none any more, so it is the initial one.
  public func yieldReturningInitialValue() { yield(with: .success(nil)) }

  /// It cannot be read any more.
  public func yield(throwing error: any Error) { yield(with: .failure(error)) }

  /// There is another value, or none, or it cannot be read.
  public func yield(with result: Result<Value?, any Error>) {
    _ = receive(result, SharedLock.version)
  }

  /// There is another value.
  ///
  /// - Parameter value: The value.
  /// - Returns: Whether it is taken; else this process has a newer one, which it is about to save.
  package func take(_ value: Value) -> Bool { receive(.success(value), SharedLock.version) }

  /// There is another value, or none, which is read here: then a change of this process since the
  /// reading began is the newer one.
  public func yield(reading read: () throws -> Value?) {
    let version = SharedLock.version
    _ = receive(Result(catching: read), version)
  }

  /// A value is on its way, or is not any more.
  public func yieldLoading(_ isLoading: Bool = true) { setLoading(isLoading) }
}

/// What is told of changes outside, until it is cancelled or let go.
public final class SharedSubscription: Sendable {
  private let subscription: StoreSubscription

  /// Creates a subscription.
  ///
  /// - Parameter cancel: Is called once.
  public init(_ cancel: @escaping @Sendable () -> Void) {
    subscription = StoreSubscription(onCancel: cancel)
  }

  /// Ends it.
  public func cancel() { subscription.cancel() }
}
