import SwiftSyntax

extension StateDeclaration {
  /// Hints for reading values of other builds: former names and defaults.
  ///
  /// This is a member of the type itself instead of an extension, because a default is resolved in
  /// the scope of its property.
  var hintsMember: String? {
    let lines = isReplicated ? hints : []
    guard !lines.isEmpty else { return nil }
    return StateText.function(
      "static func _$noteHints(in registry: inout \(module)SchemaRegistry)",
      lines,
    )
  }

  /// Whether the type has such a member.
  var hasHints: Bool { isReplicated && !hints.isEmpty }

  private var hints: [String] {
    switch kind {
    case .structure:
      return StateField.all(in: members)
        .filter { $0.hasKeyPath && (!$0.isIgnored || isDurable && $0.isOnlyDurable) }
        .compactMap(Self.hint)
    case .enumeration:
      return StateCase.all(in: members).compactMap { element in
        element.formerName.map { former in
          "registry.note(Self.self, \(element.literal), formerly: [\(StateText.literal(former))])"
        }
      }
    }
  }

  private static func hint(of field: StateField) -> String? {
    let formerly = field.formerName.map { ", formerly: [\(StateText.literal($0))]" } ?? ""
    guard let value = field.property.defaultValue else {
      guard !formerly.isEmpty else { return nil }
      return "registry.note(Self.self, \(field.literal)\(formerly))"
    }
    let method = field.isCodable ? "_$noteCodable" : "_$note"
    let isPresented = field.property.has("Presents")
    let expression =
      isPresented ? "\(module)PresentationState(wrappedValue: \(value))" : "\(value)"
    // The default of a wrapped property is a wrapped value.
    let keyPath = "\\Self.\(isPresented ? field.storage : field.property.identifier.text)"
    return "registry.\(method)(\(field.literal), \(keyPath)\(formerly), default: \(expression))"
  }
}
