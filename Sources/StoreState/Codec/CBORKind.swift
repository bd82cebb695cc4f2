/// The kinds of item that a decoder can find next.
public enum CBORKind: Hashable, Sendable {
  /// An integer of zero or more.
  case unsigned
  /// An integer below zero.
  case negative
  /// A byte string.
  case bytes
  /// A text string.
  case text
  /// An array.
  case array
  /// A map.
  case map
  /// A tag; its content follows.
  case tag
  /// False or true.
  case bool
  /// Null.
  case null
  /// A float of half, single or double precision.
  case float
}

extension CBORKind: CustomStringConvertible {
  /// The kind in the words of an error message.
  public var description: String {
    switch self {
    case .unsigned: "an integer"
    case .negative: "a negative integer"
    case .bytes: "bytes"
    case .text: "text"
    case .array: "an array"
    case .map: "a map"
    case .tag: "a tag"
    case .bool: "a bool"
    case .null: "null"
    case .float: "a float"
    }
  }
}

extension CBORKind {
  /// The upper three bits of an item's first byte.
  var major: UInt8 {
    switch self {
    case .unsigned: 0
    case .negative: 1
    case .bytes: 2
    case .text: 3
    case .array: 4
    case .map: 5
    case .tag: 6
    case .bool, .null, .float: 7
    }
  }
}

/// Constants of the encoding that both directions need.
enum CBOR {
  /// The first byte of each major type, with a length of zero.
  static let unsigned: UInt8 = 0x00
  static let negative: UInt8 = 0x20
  static let bytes: UInt8 = 0x40
  static let text: UInt8 = 0x60
  static let array: UInt8 = 0x80
  static let map: UInt8 = 0xa0
  static let tag: UInt8 = 0xc0

  static let `false`: UInt8 = 0xf4
  static let `true`: UInt8 = 0xf5
  static let null: UInt8 = 0xf6
  static let half: UInt8 = 0xf9
  static let single: UInt8 = 0xfa
  static let double: UInt8 = 0xfb

  /// The half precision pattern that stands for every NaN.
  static let nan: UInt16 = 0x7e00

  /// The tag of a set (IANA registry: mathematical finite set).
  static let setTag: UInt64 = 258

  /// How deep arrays and maps may be nested: twice what a value may, because a delta has a level
  /// more for each optional and each row.
  static let maximumDepth = 128
}
