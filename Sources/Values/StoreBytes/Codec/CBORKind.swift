/// The kinds of CBOR items.
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
  /// A null item.
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

/// Constants of the encoding that the encoder and the decoder share.
@usableFromInline
package enum CBOR {
  /// The first byte of each major type, with a length of zero.
  @inlinable package static var unsigned: UInt8 { 0x00 }
  @inlinable package static var negative: UInt8 { 0x20 }
  @inlinable package static var bytes: UInt8 { 0x40 }
  @inlinable package static var text: UInt8 { 0x60 }
  @inlinable package static var array: UInt8 { 0x80 }
  @inlinable package static var map: UInt8 { 0xa0 }
  @inlinable package static var tag: UInt8 { 0xc0 }
  @inlinable package static var simple: UInt8 { 0xe0 }

  @inlinable package static var `false`: UInt8 { 0xf4 }
  @inlinable package static var `true`: UInt8 { 0xf5 }
  @inlinable package static var null: UInt8 { 0xf6 }
  @inlinable package static var half: UInt8 { 0xf9 }
  @inlinable package static var single: UInt8 { 0xfa }
  @inlinable package static var double: UInt8 { 0xfb }

  /// The half precision pattern that stands for every NaN.
  @inlinable package static var nan: UInt16 { 0x7e00 }

  /// The tag of a set (IANA registry: mathematical finite set).
  @inlinable package static var setTag: UInt64 { 258 }

  /// The deepest nesting of arrays and maps: twice the limit of a value, because a delta has one
  /// more level for each optional and each row.
  @inlinable package static var maximumDepth: Int { 128 }
}
