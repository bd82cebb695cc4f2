import StoreReplication

/// Something that neither network nor programs do, planted to see that a validator finds it.
package enum PlantedFault: Hashable, Sendable, CaseIterable {
  /// Outputs arrive twice.
  case repeatedOutputs
  /// Outputs of one message arrive in the opposite order.
  case swappedOutputs
  /// Outputs arrive at another scope of the view.
  case strayOutputs
  /// Outputs arrive before the state that they belong to.
  case earlyOutputs
  /// Outputs of calm times do not arrive.
  case droppedOutputs
  /// A later build takes another default for a field than it has.
  case otherDefault

  /// What is delivered in the place of a published message.
  func tamper(with body: [UInt8]) -> [[UInt8]] {
    guard let message = try? PublishedMessage(frame: body[...]),
      case .outputs(var outputs) = message
    else { return [body] }
    switch self {
    case .repeatedOutputs: return [body, body]
    case .droppedOutputs: return []
    case .swappedOutputs: outputs.outputs.reverse()
    case .strayOutputs: for index in outputs.outputs.indices { outputs.outputs[index].index ^= 1 }
    case .earlyOutputs: outputs.sequence = 0
    case .otherDefault: return [body]
    }
    return [PublishedMessage.outputs(outputs).encoded()]
  }

  /// Whether a published message goes before what it has to come behind.
  func hurries(_ body: [UInt8]) -> Bool {
    guard self == .earlyOutputs, let message = try? PublishedMessage(frame: body[...]),
      case .outputs = message
    else { return false }
    return true
  }
}
