/// Collects the fields of a record, or the cases of a choice, for generated code.
///
/// The unavailable overloads exist for their messages: a property or payload whose type cannot be
/// replicated is an error at compile time, which appears here. The corresponding functions of the
/// other helpers accept any type, so the error appears once.
public struct _$SchemaWriter {
  /// The fields so far.
  public private(set) var fields: [Definition.Field] = []
  /// The cases so far.
  public private(set) var cases: [Definition.Case] = []

  /// Creates an empty list.
  public init() {}
}

extension _$SchemaWriter {
  /// Adds the property of a key path.
  public mutating func property<Root, Part: ReplicatedState>(
    _ name: String,
    _ keyPath: KeyPath<Root, Part>,
    in registry: inout SchemaRegistry,
  ) {
    registry.fieldVisitor?.visit(name, keyPath)
    fields.append(Definition.Field(name, Part.schema(in: &registry)))
  }

  /// Produces a compiler error with the reason why the property cannot be replicated, and
  /// the remedy.
  @available(
    *,
    unavailable,
    message: """
      this property's type is not 'ReplicatedState': declare that conformance for the type, or \
      mark the property '@ReplicationIgnored' (copies get its default value) or, where the type is \
      Codable and Sendable, '@ReplicatedAsCodable' (replaced as a whole)
      """
  )
  public mutating func property<Root, Part>(
    _ name: String,
    _: KeyPath<Root, Part>,
    in registry: inout SchemaRegistry,
  ) {}

  /// Adds a property that is never sent, in the schema of durable forms.
  public mutating func hiddenProperty<Root, Part: ReplicatedState>(
    _ name: String,
    _: KeyPath<Root, Part>,
    in registry: inout SchemaRegistry,
  ) {
    guard registry._$isDurable else { return }
    fields.append(Definition.Field(name, Part.schema(in: &registry)))
  }

  /// Produces a compiler error with the reason why the property cannot be stored, and the remedy.
  @available(
    *,
    unavailable,
    message: """
      this property's type is not 'ReplicatedState', so a durable state cannot keep it: declare \
      that conformance for the type, or mark the property '@DurableIgnored' (it begins anew with \
      its default value) or, where the type is Codable and Sendable, '@DurableAsCodable'
      """
  )
  public mutating func hiddenProperty<Root, Part>(
    _ name: String,
    _: KeyPath<Root, Part>,
    in registry: inout SchemaRegistry,
  ) {}

  /// Adds a property that is never sent and is marked `@DurableAsCodable`.
  public mutating func hiddenCodableProperty<Root, Part: Codable & Sendable>(
    _ name: String,
    _: KeyPath<Root, Part>,
    in registry: inout SchemaRegistry,
  ) {
    guard registry._$isDurable else { return }
    fields.append(Definition.Field(name, .any))
  }

  /// Adds a property that is marked `@ReplicatedAsCodable`.
  public mutating func codableProperty<Root, Part: Codable & Sendable>(
    _ name: String,
    _: KeyPath<Root, Part>,
    in registry: inout SchemaRegistry,
  ) {
    fields.append(Definition.Field(name, .any))
  }

  /// Produces a compiler error with the reason why the property cannot be replicated, and
  /// the remedy.
  @available(
    *,
    unavailable,
    message: """
      '@ReplicatedAsCodable' needs the property's type to be Codable and Sendable: declare those \
      conformances for the type, or mark the property '@ReplicationIgnored' (copies get its \
      default value)
      """
  )
  public mutating func codableProperty<Root, Part>(
    _ name: String,
    _: KeyPath<Root, Part>,
    in registry: inout SchemaRegistry,
  ) {}
}

extension _$SchemaWriter {
  /// Adds a case without payload.
  public mutating func `case`(_ name: String) {
    cases.append(Definition.Case(name))
  }

  /// Adds a case with a payload, whose types follow from the case's constructor.
  public mutating func `case`<each Part: ReplicatedState, Value>(
    _ name: String,
    _ labels: [String],
    _: (repeat each Part) -> Value,
    in registry: inout SchemaRegistry,
  ) {
    cases.append(Definition.Case(name, labels, of: repeat (each Part).self, in: &registry))
  }

  /// Produces a compiler error with the reason why the payload cannot be replicated, and
  /// the remedy.
  @available(
    *,
    unavailable,
    message: """
      this case has a payload whose type is not 'ReplicatedState': declare that conformance for \
      the type
      """
  )
  public mutating func `case`<each Part, Value>(
    _ name: String,
    _ labels: [String],
    _: (repeat each Part) -> Value,
    in registry: inout SchemaRegistry,
  ) {}
}
