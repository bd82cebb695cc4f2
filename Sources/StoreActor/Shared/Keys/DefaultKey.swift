/// A key with a default value for a source without a value.
///
/// ```swift
/// extension SharedKey where Self == AppStorageKey<Bool>.Default {
///   static var isOn: Self { Self[.appStorage("isOn"), default: false] }
/// }
/// …
/// @Shared(.isOn) var isOn
/// ```
public struct _SharedKeyDefault<Base: SharedReaderKey>: SharedReaderKey {
  let base: Base
  let defaultValue: @Sendable () -> Base.Value

  /// A key with a default value for a source without a value.
  public static subscript(
    key: Base,
    default value: @autoclosure @escaping @Sendable () -> Base.Value,
  ) -> Self {
    Self(base: key, defaultValue: value)
  }

  /// The default value for a source without a value.
  public var initialValue: Base.Value { defaultValue() }

  /// The key's id.
  public var id: Base.ID { base.id }

  /// Reads the value by the key.
  public func load(context: LoadContext<Base.Value>, continuation: LoadContinuation<Base.Value>) {
    base.load(context: context, continuation: continuation)
  }

  /// Notifies the subscriber of external changes of the key's value.
  public func subscribe(
    context: LoadContext<Base.Value>,
    subscriber: SharedSubscriber<Base.Value>,
  ) -> SharedSubscription {
    base.subscribe(context: context, subscriber: subscriber)
  }
}

extension _SharedKeyDefault: CustomStringConvertible {
  /// The expression that creates the key, with its default value.
  public var description: String { "Default[\(base), default: \(defaultValue())]" }
}

extension _SharedKeyDefault: SharedKey where Base: SharedKey {
  /// Saves the value by the key.
  public func save(
    _ value: Base.Value,
    context: SaveContext,
    continuation: SaveContinuation,
  ) {
    base.save(value, context: context, continuation: continuation)
  }
}
