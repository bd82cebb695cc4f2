/// A read-only shared value: see ``Shared``.
///
/// ```swift
/// @Shared(value: Draft(title: "Milk")) var draft
/// @SharedReader(projectedValue: SharedReader($draft.title)) var title
/// ```
@propertyWrapper
@dynamicMemberLookup
public struct SharedReader<Value> {
  var content: SharedContent<Value>

  init(_ content: SharedContent<Value>) { self.content = content }

  /// Creates a reader of a constant value.
  public init(value: sending Value) {
    content = SharedContent(SharedCell(value))
  }

  /// Creates a reader of a constant value.
  ///
  /// - Parameter value: The value.
  /// - Returns: A reader of it.
  public static func constant(_ value: sending Value) -> Self { Self(value: value) }

  /// Creates a reader of a shared value.
  public init(_ base: Shared<Value>) { content = base.content }

  /// Creates a reader of a shared value that is present; nil if it is absent.
  public init?(_ base: Shared<Value?>) { self.init(SharedReader<Value?>(base)) }

  /// Creates a reader of a shared value that is present; nil if it is absent.
  public init?(_ base: SharedReader<Value?>) {
    guard let content = SharedContent.presence(of: base.content) else { return nil }
    self.content = content
  }

  /// Creates a reader of the same value as another one.
  public init(projectedValue: Self) { self = projectedValue }

  /// The value.
  public var wrappedValue: Value { content.value }

  /// The shared value itself, to pass it on or to share a part of it.
  public var projectedValue: Self {
    get { Self(content.live) }
    set { content = newValue.content }
  }

  /// Returns a reader of a closure's result.
  ///
  /// - Parameter body: Computes the result from the value, at each read.
  /// - Returns: The reader.
  public func read<Member>(
    _ body: @escaping @Sendable (Value) -> Member
  ) -> SharedReader<Member> {
    SharedReader<Member>(content.reading(body))
  }

  /// A part of the value, shared.
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> SharedReader<Member> {
    SharedReader<Member>(content.part(keyPath))
  }
}

// Sound if values are: shared data is accessed under the shared lock only.
extension SharedReader: @unchecked Sendable where Value: Sendable {}
