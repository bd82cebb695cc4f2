import SwiftSyntax

/// A stored property as a field of a record.
struct StateField {
  let property: StoredProperty

  /// The field's name on the wire.
  var name: String { property.name }
  /// The name as a literal.
  var literal: String { StateText.literal(name) }
  /// The expression that accesses the field's value.
  var storage: String { property.storage }
  /// The field's former name.
  var formerName: String? {
    property.declaration.attributes.attribute(named: "Replicated")?.text(labelled: "formerly")
  }
  /// Whether the value is encoded by its `Codable` conformance.
  var isCodable: Bool { property.has("ReplicatedAsCodable") || property.has("DurableAsCodable") }

  /// Whether Swift has a key path to the property: `\Self.Type` would refer to a type.
  var hasKeyPath: Bool { !["Self", "Type"].contains(name) }

  /// Whether copies in other processes have the property's default.
  var isIgnored: Bool { property.has("ReplicationIgnored") }

  /// Whether it is replicated, and resets to its default at a restart of the daemon.
  var isEphemeral: Bool { !isIgnored && property.has("DurableIgnored") }

  /// Whether only the durable form has it.
  var isOnlyDurable: Bool { isIgnored && !property.has("DurableIgnored") }

  /// Whether only an initializer may set the value: for a constant, and for an observed property,
  /// because the delta already includes the effects of its observers.
  var isSetByInitializer: Bool { property.isLet || property.isObserved }

  /// All stored properties that differ from value to value, ignored ones included.
  static func all(in members: MemberBlockItemListSyntax) -> [StateField] {
    StoredProperty.all(in: members).filter { !$0.isConstant }.map(StateField.init)
  }

  /// An expression with the field's value in a form that can be replicated.
  func value(of owner: String) -> String {
    let value = "\(owner).\(storage)"
    return isCodable ? "\(module)_$codable(\(value))" : value
  }
}
