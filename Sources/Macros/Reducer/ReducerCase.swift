import SwiftSyntax

/// A case of an enum of features.
struct ReducerCase {
  enum Kind {
    /// A feature: its type and the expression that creates it.
    case feature(type: String, instance: String)
    /// State without logic that ends after an action, such as an alert.
    case ephemeral(type: String)
    /// Plain data.
    case data
  }

  let element: EnumCase
  let kind: Kind

  var identifier: String { element.identifier }

  private static let ephemeralNames = ["AlertState", "ConfirmationDialogState"]

  init(_ element: EnumCase) {
    self.element = element
    let attributes = element.declaration.attributes
    let isIgnored = attributes.attribute(named: "ReducerCaseIgnored") != nil
    guard !isIgnored, element.parameters.count == 1, let parameter = element.parameters.first
    else {
      kind = .data
      return
    }
    let type = parameter.type.trimmedDescription
    if attributes.attribute(named: "ReducerCaseEphemeral") != nil
      || Self.ephemeralNames.contains(where: parameter.type.baseNames.contains)
    {
      kind = .ephemeral(type: type)
    } else {
      let instance = parameter.defaultValue?.trimmedDescription
      kind = .feature(type: type, instance: instance ?? "\(type)()")
    }
  }

  /// The text before `case`.
  private var prefix: String {
    let modifiers = element.declaration.modifiers.map { "\($0.trimmedDescription) " }.joined()
    return "\(element.availability)\(modifiers)"
  }

  private var data: String {
    let text = element.element.with(\.trailingComma, nil).trimmedDescription
    return "\(prefix)case \(text)"
  }

  /// The case of the feature's state.
  var state: String {
    switch kind {
    case .feature(let type, _): "\(prefix)case \(identifier)(\(type).State)"
    case .ephemeral(let type): "\(prefix)case \(identifier)(\(type))"
    case .data: data
    }
  }

  /// The case of the feature's action; `isSent` states whether clients send such actions.
  func action(isSent: Bool) -> String {
    switch kind {
    case .feature(let type, _), .ephemeral(let type):
      "\(prefix)case \(identifier)(\(type).Action)"
    case .data:
      "\(isSent ? "@\(module)ReplicationIgnored\n" : "")\(prefix)case \(identifier)(Swift.Never)"
    }
  }

  /// The case that has the feature's store.
  var scope: String {
    switch kind {
    case .feature(let type, _):
      "\(element.availability)case \(identifier)(\(module)StoreOf<\(type)>)"
    case .ephemeral(let type): "\(prefix)case \(identifier)(\(type))"
    case .data: data
    }
  }

  /// The case of a switch over the state that creates the case's store.
  var scoping: String {
    if case .feature = kind {
      return """
        case .\(identifier)(let v0):
        return .\(identifier)(
        store._$scope(
        \\.\(identifier),
        action: \\Self.Action.Cases.\(identifier),
        last: v0
        )
        )
        """
    }
    let names = element.partNames
    return """
      case \(element.pattern(binding: names)):
      return \(element.expression(of: names))
      """
  }

  /// The call that adds the feature to the body; nil if the case has no logic.
  var reducer: String? {
    guard case .feature(_, let instance) = kind else { return nil }
    return """
      cases.add(
      \\Self.State.Cases.\(identifier),
      action: \\Self.Action.Cases.\(identifier),
      reducer: \(instance)
      )
      """
  }
}
