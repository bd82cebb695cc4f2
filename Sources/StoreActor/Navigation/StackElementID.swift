public import CustomDump
public import StoreState

/// Identifies an element of a stack: a number that the stack assigns in sequence.
///
/// The first element that was ever in a stack has 0, the next one 1. A number is never reused, even
/// after elements are removed. So the ids follow from the actions alone, in a test, in a store and
/// in every replay, and a test may write them as literals: `$0.path[id: 0]`.
public struct StackElementID: Hashable, Sendable {
  /// The number.
  public let generation: Int

  /// Creates an id from a number.
  package init(generation: Int) {
    self.generation = generation
  }

  /// The id that follows this one.
  var next: StackElementID {
    let (number, hasOverflown) = generation.addingReportingOverflow(1)
    return StackElementID(generation: hasOverflown ? generation : number)
  }
}

extension StackElementID: ExpressibleByIntegerLiteral {
  /// Creates an id from a number.
  public init(integerLiteral value: Int) {
    generation = value
  }
}

extension StackElementID: Codable {
  /// Reads the number.
  public init(from decoder: any Decoder) throws {
    generation = try decoder.singleValueContainer().decode(Int.self)
  }

  /// Writes the number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(generation)
  }
}

extension StackElementID: CustomStringConvertible, CustomDumpStringConvertible {
  /// The number: `#0`.
  public var description: String { "#\(generation)" }

  /// The number: `#0`.
  public var customDumpDescription: String { description }
}

/// The wire form of an id is its number.
extension StackElementID: ReplicatedState {
  /// An integer.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    Int.schema(in: &registry)
  }

  /// True: an id is a plain integer.
  public static var equalsItself: Bool { true }

  /// Writes the number.
  public func encode(to encoder: inout CBOREncoder) {
    generation.encode(to: &encoder)
  }

  /// Reads the number.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    generation = try Int(from: &decoder)
  }

  /// Compares the numbers.
  public func _$isSame(as other: Self) -> Bool { generation == other.generation }

  /// The digest of the number.
  public var _$digest: Digest { generation._$digest }
}
