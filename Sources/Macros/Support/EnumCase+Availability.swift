import SwiftSyntax

extension EnumCase {
  private var availabilityArguments: [[AvailabilityArgumentSyntax]] {
    declaration.attributes.compactMap { element in
      guard
        case .attribute(let attribute) = element, attribute.baseName == "available",
        case .availability(let arguments)? = attribute.arguments
      else { return nil }
      return Array(arguments)
    }
  }

  private func hasAvailability(_ keyword: String) -> Bool {
    availabilityArguments.contains { arguments in
      arguments.contains { argument in
        switch argument.argument {
        case .token(let token): token.text == keyword
        case .availabilityLabeledArgument(let labelled): labelled.label.text == keyword
        case .availabilityVersionRestriction: false
        }
      }
    }
  }

  /// Whether no value of the case can be created.
  var isUnavailable: Bool { hasAvailability("unavailable") || hasAvailability("obsoleted") }

  /// Whether the compiler warns of the case.
  var isDeprecated: Bool { hasAvailability("deprecated") }

  /// `#available(macOS 26, *)` for a case that is not available everywhere; nil for other cases.
  var condition: String? {
    for arguments in availabilityArguments {
      let hasVersion = arguments.contains {
        if case .availabilityVersionRestriction = $0.argument { true } else { false }
      }
      guard hasVersion else { continue }
      let text = arguments.map { $0.with(\.trailingComma, nil).trimmedDescription }
      return "#available(\(text.joined(separator: ", ")))"
    }
    return nil
  }
}
