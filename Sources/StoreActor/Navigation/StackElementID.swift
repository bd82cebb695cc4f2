public import CustomDump
public import StoreState

/// Tells the elements of a stack apart: a number that the stack gives to each in turn.
///
/// The first element that ever stood in a stack has 0, the next one 1; no number is given twice,
/// also when elements have gone. So the ids follow from the actions alone, in a test as in a store
/// and in every replay, and a test may write them as literals: `$0.path[id: 0]`.
public struct StackElementID: Hashable, Sendable {
  /// The number.
  public let generation: Int

  /// Creates an id of a number.
  package init(generation: Int) {
    self.generation = generation
  }

  /// The id that is given after this one.
  var next: StackElementID {
    let (number, hasOverflown) = generation.addingReportingOverflow(1)
    return StackElementID(generation: hasOverflown ? generation : number)
  }
}

extension StackElementID: ExpressibleByIntegerLiteral {
  /// Creates an id of a number.
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

/// An id travels as its number.
extension StackElementID: ReplicatedState {
  /// An integer.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    Int.schema(in: &registry)
  }

  /// True.
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
