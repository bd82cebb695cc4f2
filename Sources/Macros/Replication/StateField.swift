import SwiftSyntax

/// A stored property as a field of a record.
struct StateField {
  let property: StoredProperty

  /// What the field is called on the wire.
  var name: String { property.name }
  /// The name as a literal.
  var literal: String { StateText.literal(name) }
  /// What to read and to write to get at the field's value.
  var storage: String { property.storage }
  /// What the field was called before.
  var formerName: String? {
    property.declaration.attributes.attribute(named: "Replicated")?.text(labelled: "formerly")
  }
  /// Whether the value travels through its `Codable` conformance.
  var isCodable: Bool { property.has("ReplicatedAsCodable") || property.has("DurableAsCodable") }

  /// Whether Swift has a key path to the property: `\Self.Type` is that of a type.
  var hasKeyPath: Bool { !["Self", "Type"].contains(name) }

  /// Whether copies in other processes have the property's default.
  var isIgnored: Bool { property.has("ReplicationIgnored") }

  /// Whether it travels, and has its default again once the daemon has started again.
  var isEphemeral: Bool { !isIgnored && property.has("DurableIgnored") }

  /// Whether the durable form has it although copies in other processes have not.
  var isOnlyDurable: Bool { isIgnored && !property.has("DurableIgnored") }

  /// Whether only an initializer may set the value: a constant, and a property that is observed,
  /// because what its observers did is in the delta already.
  var isSetByInitializer: Bool { property.isLet || property.isObserved }

  /// All stored properties that differ from value to value, ignored ones included.
  static func all(in members: MemberBlockItemListSyntax) -> [StateField] {
    StoredProperty.all(in: members).filter { !$0.isConstant }.map(StateField.init)
  }

  /// An expression with the field's value, as something that can be replicated.
  func value(of owner: String) -> String {
    let value = "\(owner).\(storage)"
    return isCodable ? "\(module)_$codable(\(value))" : value
  }
}
