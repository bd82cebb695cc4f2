import SwiftSyntax

/// The conformances that `@Reducer(state: .equatable, action: .sendable)` names.
struct SynthesizedConformances {
  private(set) var state: [String] = []
  private(set) var action: [String] = []

  private static let protocols = [
    "codable": "Swift.Codable",
    "decodable": "Swift.Decodable",
    "durableAction": "\(module)DurableAction",
    "encodable": "Swift.Encodable",
    "equatable": "Swift.Equatable",
    "hashable": "Swift.Hashable",
    "sendable": "Swift.Sendable",
    "replicatedState": "\(module)ReplicatedState",
    "wireAction": "\(module)WireAction",
  ]

  init(_ node: AttributeSyntax) {
    guard case .argumentList(let arguments)? = node.arguments else { return }
    var isAction = false
    for argument in arguments {
      if let label = argument.label?.text { isAction = label == "action" }
      guard
        let member = argument.expression.as(MemberAccessExprSyntax.self),
        let name = Self.protocols[member.declName.baseName.text]
      else { continue }
      if isAction { action.append(name) } else { state.append(name) }
    }
  }
}
