/// Hints that generated code records for readers of other builds' values.
extension SchemaRegistry {
  /// Records that values of a type may differ in parts that both of its encodings lack.
  public mutating func _$noteHiddenParts(of type: String) {
    hidesParts = true
    if _$isDurable { forgetful.append(type) }
  }

  /// Records a part of durable forms that would not be restored as it was.
  public mutating func _$noteForgetful(_ name: String) {
    if _$isDurable { forgetful.append(name) }
  }

  /// Records the properties that are marked so that both of a type's encodings lack them.
  public mutating func _$noteUnkept(_ properties: [String]) {
    if _$isDurable { unkept += properties }
  }

  /// Records that values have replicated parts that reset at a restart.
  public mutating func _$noteEphemeralParts() { hasEphemeralParts = true }

  /// Records the former names and the default of a property.
  public mutating func _$note<Root, Part: ReplicatedState>(
    _ name: String,
    _: KeyPath<Root, Part>,
    formerly: [String] = [],
    default value: @autoclosure () -> Part,
  ) {
    note(Root.self, name, formerly: formerly) { value().encoded() }
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func _$note<Root, Part>(
    _ name: String,
    _: KeyPath<Root, Part>,
    formerly: [String] = [],
    default value: @autoclosure () -> Part,
  ) {}

  /// Records the former names and the default of a property that is marked `@ReplicatedAsCodable`.
  public mutating func _$noteCodable<Root, Part: Codable & Sendable>(
    _ name: String,
    _: KeyPath<Root, Part>,
    formerly: [String] = [],
    default value: @autoclosure () -> Part,
  ) {
    note(Root.self, name, formerly: formerly) { _$CodableItem(value()).encoded() }
  }

  /// A placeholder for a value that the schema rejects at compile time.
  public mutating func _$noteCodable<Root, Part>(
    _ name: String,
    _: KeyPath<Root, Part>,
    formerly: [String] = [],
    default value: @autoclosure () -> Part,
  ) {}
}
