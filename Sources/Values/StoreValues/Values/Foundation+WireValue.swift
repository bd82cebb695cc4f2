public import StoreBytes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID: ReplicatedState {
  /// A universally unique identifier.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .uuid }

  /// True: an identifier equals each of its copies.
  public static var equalsItself: Bool { true }

  /// Writes the 16 bytes.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    withUnsafeBytes(of: self) { encoder.encode(bytes: $0) }
  }

  /// Reads 16 bytes.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    let bytes = try decoder.byteSlice()
    guard bytes.count == 16 else {
      throw CodecError(
        .outOfRange,
        "expected a UUID of 16 bytes, found \(bytes.count) bytes",
        offset: start,
      )
    }
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    self.init(uuid: uuid)
  }

  /// True: the plain reader reads UUIDs.
  @inlinable
  public static var _$isPlain: Bool { true }

  /// Reads 16 bytes.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    try reader.expect(CBOR.bytes | 16)
    // A UUID is its 16 bytes, whose alignment is 1.
    self = try reader.take(16).load(as: UUID.self)
  }

  /// Compares the bytes.
  public func _$isSame(as other: UUID) -> Bool { self == other }

  /// The digest of the bytes.
  public var _$digest: Digest { withUnsafeBytes(of: uuid) { Digest(bytes: $0) } }
}

extension Date: ReplicatedState {
  /// A point in time.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .date }

  /// False: a date of NaN seconds differs from itself.
  public static var equalsItself: Bool { false }

  /// Writes the seconds since the beginning of 2001.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.encode(double: timeIntervalSinceReferenceDate)
  }

  /// Reads the seconds since the beginning of 2001.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self.init(timeIntervalSinceReferenceDate: try decoder.double())
  }

  /// True: the plain reader reads dates.
  @inlinable
  public static var _$isPlain: Bool { true }

  /// Reads the seconds since the beginning of 2001.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    self.init(timeIntervalSinceReferenceDate: try reader.float(27))
  }

  /// Compares the bits of the seconds.
  public func _$isSame(as other: Date) -> Bool {
    timeIntervalSinceReferenceDate._$isSame(as: other.timeIntervalSinceReferenceDate)
  }

  /// The digest of the seconds.
  public var _$digest: Digest { timeIntervalSinceReferenceDate._$digest }
}

extension Data: ReplicatedState {
  /// A string of bytes.
  public static func schema(in registry: inout SchemaRegistry) -> Schema { .bytes }

  /// True: a string of bytes equals each of its copies.
  public static var equalsItself: Bool { true }

  /// Writes the bytes.
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(bytes: self) }

  /// Reads bytes.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    self.init(try decoder.byteSlice())
  }

  /// True: the plain reader reads bytes.
  @inlinable
  public static var _$isPlain: Bool { true }

  /// Reads bytes.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    self.init(try reader.content(CBOR.bytes))
  }

  /// Compares the bytes.
  public func _$isSame(as other: Data) -> Bool { self == other }

  /// Writes one splice of the old bytes, or the new bytes if a splice would not save enough.
  public func encodeDelta(from old: Data, to encoder: inout CBOREncoder) -> Bool {
    guard !_$isSame(as: old) else { return false }
    withUnsafeBytes { new in
      old.withUnsafeBytes { old in
        old.withMemoryRebound(to: UInt8.self) { old in
          new.withMemoryRebound(to: UInt8.self) {
            encoder.encodeSplice(from: old, to: $0, isText: false)
          }
        }
      }
    }
    return true
  }

  /// Reads new bytes, or splices of the old ones.
  public mutating func applyDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    guard try decoder.peekKind() == .array else {
      self = try Data(from: &decoder)
      return
    }
    try decoder.edits { (decoder, items) throws(CodecError) in
      let range = try decoder.splicePlace(items: items, in: count)
      let first = startIndex
      replaceSubrange(
        (first + range.lowerBound)..<(first + range.upperBound),
        with: try decoder.byteSlice(),
      )
    }
  }

  /// The digest of the bytes.
  public var _$digest: Digest { withUnsafeBytes { Digest(bytes: $0) } }
}

extension URL: ReplicatedState {
  /// A uniform resource locator.
  public static func schema(in registry: inout SchemaRegistry) -> Schema {
    registry._$noteHiddenParts()
    return .url
  }

  /// False: a URL that is relative to a base differs from its copy, which is absolute.
  public static var equalsItself: Bool { false }

  /// Writes the absolute text.
  public func encode(to encoder: inout CBOREncoder) { encoder.encode(text: absoluteString) }

  /// Reads a text that is a valid URL without further escaping.
  public init(from decoder: inout CBORDecoder) throws(CodecError) {
    let start = decoder.offset
    let text = try decoder.text()
    guard let url = URL(string: text), url.absoluteString._$isSame(as: text) else {
      throw CodecError(.outOfRange, "expected a URL, found \"\(text)\"", offset: start)
    }
    self = url
  }

  /// Compares the absolute texts.
  public func _$isSame(as other: URL) -> Bool { absoluteString._$isSame(as: other.absoluteString) }

  /// The digest of the absolute text.
  public var _$digest: Digest { Digest(text: absoluteString) }
}
