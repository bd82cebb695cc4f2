/// A shared value that is only read: see ``Shared``.
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

  /// A value that nobody changes.
  public init(value: sending Value) {
    content = SharedContent(SharedCell(value))
  }

  /// A value that nobody changes.
  ///
  /// - Parameter value: The value.
  /// - Returns: A reader of it.
  public static func constant(_ value: sending Value) -> Self { Self(value: value) }

  /// What somebody shares, to be read.
  public init(_ base: Shared<Value>) { content = base.content }

  /// A shared value that is there, to be read; nil where it is absent.
  public init?(_ base: Shared<Value?>) { self.init(SharedReader<Value?>(base)) }

  /// A shared value that is there; nil where it is absent.
  public init?(_ base: SharedReader<Value?>) {
    guard let content = SharedContent.presence(of: base.content) else { return nil }
    self.content = content
  }

  /// Reads what another one reads.
  public init(projectedValue: Self) { self = projectedValue }

  /// The value.
  public var wrappedValue: Value { content.value }

  /// The shared value itself, to pass it on, or to share a part of it.
  public var projectedValue: Self {
    get { Self(content.live) }
    set { content = newValue.content }
  }

  /// What a closure makes of the value, to be read.
  ///
  /// - Parameter body: Makes something of the value, whenever that is read.
  /// - Returns: A reader of it.
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

// Sound where values are: what is shared is touched under the shared lock only.
extension SharedReader: @unchecked Sendable where Value: Sendable {}
