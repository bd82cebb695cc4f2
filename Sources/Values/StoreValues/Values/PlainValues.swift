public import StoreBytes

// Reading of the standard library's values from exactly the expected bytes.

extension Bool {
  /// True: the plain reader reads this type.
  @inlinable
  public static var _$isPlain: Bool { true }

  /// Reads false or true.
  @inlinable
  @inline(__always)
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    let byte = try reader.byte()
    guard byte | 1 == CBOR.true else { throw _$NotPlain() }
    self = byte == CBOR.true
  }
}

extension String {
  /// True: the plain reader reads this type.
  @inlinable
  public static var _$isPlain: Bool { true }

  /// Reads a text.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    let content = try reader.content(CBOR.text)
    guard UTF8Validation.isText(content) else { throw _$NotPlain() }
    self = String(decoding: content, as: UTF8.self)
  }
}

/// An integer of at most 64 bits.
///
/// Only types of the standard library conform: other integer types, like those of 128 bits, may
/// have another form.
public protocol _$PlainInteger: FixedWidthInteger, ReplicatedState {}

extension _$PlainInteger {
  /// True: the plain reader reads this type.
  @inlinable
  public static var _$isPlain: Bool { true }

  /// Reads an integer in the range of the type.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    let isNegative = Self.isSigned && reader.isNext(CBOR.negative)
    let argument = try reader.argument(isNegative ? CBOR.negative : CBOR.unsigned)
    // A negative integer is written as its complement.
    guard let magnitude = Self(exactly: argument) else { throw _$NotPlain() }
    self = isNegative ? ~magnitude : magnitude
  }
}

extension Double {
  /// True: the plain reader reads this type.
  @inlinable
  public static var _$isPlain: Bool { true }

  /// Reads a float.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    self = try reader.float(27)
  }
}

extension Float {
  /// True: the plain reader reads this type.
  @inlinable
  public static var _$isPlain: Bool { true }

  /// Reads a float that fits in 32 bits.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    self = Float(try reader.float(26))
  }
}

extension Optional where Wrapped: WireValue {
  /// The same as for the wrapped type.
  @inlinable
  public static var _$isPlain: Bool { Wrapped._$isPlain }

  /// Reads null or a value.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    guard !reader.skip(CBOR.null) else {
      self = nil
      return
    }
    guard Wrapped.admitsNull else {
      self = try Wrapped(_$plain: &reader)
      return
    }
    guard try reader.array() == 1 else { throw _$NotPlain() }
    self = try Wrapped(_$plain: &reader)
    reader.leave()
  }
}

extension Array where Element: WireValue {
  /// The same as for the element type.
  @inlinable
  public static var _$isPlain: Bool { Element._$isPlain }

  /// Reads the elements, each directly into the array's memory.
  @inlinable
  public init(_$plain reader: inout _$PlainReader) throws(_$NotPlain) {
    guard Element._$isPlain else {
      self = try reader.decoded()
      return
    }
    let count = try reader.array(of: MemoryLayout<Element>.stride)
    var isRead = true
    self.init(unsafeUninitializedCapacity: count) { elements, initializedCount in
      guard let first = elements.baseAddress else { return }
      do throws(_$NotPlain) {
        while initializedCount < count {
          (first + initializedCount).initialize(to: try Element(_$plain: &reader))
          initializedCount += 1
        }
      } catch {
        isRead = false
      }
    }
    guard isRead else { throw _$NotPlain() }
    reader.leave()
  }
}
