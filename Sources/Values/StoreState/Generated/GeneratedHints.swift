/// What generated code notes for readers of other builds' values.
extension SchemaRegistry {
  /// Notes that values of a type may differ in parts that neither of its encodings has.
  public mutating func _$noteHiddenParts(of type: String) {
    hidesParts = true
    if _$isDurable { forgetful.append(type) }
  }

  /// Notes a part of durable forms that would not come back from them as it was.
  public mutating func _$noteForgetful(_ name: String) {
    if _$isDurable { forgetful.append(name) }
  }

  /// Notes the properties that neither of a type's encodings has, as was said of each.
  public mutating func _$noteUnkept(_ properties: [String]) {
    if _$isDurable { unkept += properties }
  }

  /// Notes that values have parts that travel, and begin anew after a restart.
  public mutating func _$noteEphemeralParts() { hasEphemeralParts = true }

  /// Notes what a property was called before and what it is by default.
  public mutating func _$note<Root, Part: ReplicatedState>(
    _ name: String,
    _: KeyPath<Root, Part>,
    formerly: [String] = [],
    default value: @autoclosure () -> Part,
  ) {
    note(Root.self, name, formerly: formerly) { value().encoded() }
  }

  /// Takes a value that the schema has refused at compile time.
  public mutating func _$note<Root, Part>(
    _ name: String,
    _: KeyPath<Root, Part>,
    formerly: [String] = [],
    default value: @autoclosure () -> Part,
  ) {}

  /// Notes what a property that is marked `@ReplicatedAsCodable` was called before and what it is
  /// by default.
  public mutating func _$noteCodable<Root, Part: Codable & Sendable>(
    _ name: String,
    _: KeyPath<Root, Part>,
    formerly: [String] = [],
    default value: @autoclosure () -> Part,
  ) {
    note(Root.self, name, formerly: formerly) { _$CodableItem(value()).encoded() }
  }

  /// Takes a value that the schema has refused at compile time.
  public mutating func _$noteCodable<Root, Part>(
    _ name: String,
    _: KeyPath<Root, Part>,
    formerly: [String] = [],
    default value: @autoclosure () -> Part,
  ) {}
}
