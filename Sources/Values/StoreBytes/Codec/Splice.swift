/// A replacement of one run of bytes in a text or a byte string.
package struct Splice: Hashable, Sendable {
  /// The number of bytes before the run.
  package var start: Int
  /// The number of bytes in the run.
  package var removed: Int
  /// The number of bytes that replace the run in the new value.
  package var inserted: Int

  /// A sender uses a splice if it saves at least this many bytes against the whole value.
  package static let leastGain = 32

  package init(start: Int, removed: Int, inserted: Int) {
    self.start = start
    self.removed = removed
    self.inserted = inserted
  }

  /// Creates the one splice from `old` to `new`; nil if it does not save ``leastGain`` bytes
  /// against the whole value.
  ///
  /// - Parameters:
  ///   - old: The bytes before.
  ///   - new: The bytes after.
  ///   - isText: Whether the bytes are UTF-8; then no scalar is split.
  package init?(
    from old: UnsafeBufferPointer<UInt8>,
    to new: UnsafeBufferPointer<UInt8>,
    isText: Bool,
  ) {
    guard new.count > Self.leastGain else { return nil }
    let shared = min(old.count, new.count)
    var prefix = Self.commonPrefix(old, new)
    if isText {
      while prefix > 0, old.isInsideScalar(prefix) || new.isInsideScalar(prefix) { prefix -= 1 }
    }
    var suffix = 0
    while suffix < shared - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] {
      suffix += 1
    }
    if isText {
      while suffix > 0, old.isInsideScalar(old.count - suffix) { suffix -= 1 }
    }
    start = prefix
    removed = old.count - prefix - suffix
    inserted = new.count - prefix - suffix
    let parts = [start, removed, inserted].map(Self.headerSize)
    let gain = Self.headerSize(new.count) + new.count - (1 + parts.reduce(inserted, +))
    guard gain >= Self.leastGain else { return nil }
  }

  /// The length of the common prefix.
  private static func commonPrefix(
    _ old: UnsafeBufferPointer<UInt8>,
    _ new: UnsafeBufferPointer<UInt8>,
  ) -> Int {
    let shared = min(old.count, new.count)
    let (one, other) = (UnsafeRawBufferPointer(old), UnsafeRawBufferPointer(new))
    var prefix = 0
    while shared - prefix >= 8,
      one.loadUnaligned(fromByteOffset: prefix, as: UInt64.self)
        == other.loadUnaligned(fromByteOffset: prefix, as: UInt64.self)
    {
      prefix += 8
    }
    while prefix < shared, old[prefix] == new[prefix] { prefix += 1 }
    return prefix
  }

  /// The size of a header with such an argument, in bytes.
  private static func headerSize(_ argument: Int) -> Int {
    switch argument {
    case ..<24: 1
    case ..<0x100: 2
    case ..<0x1_0000: 3
    case ..<0x1_0000_0000: 5
    default: 9
    }
  }
}

extension Collection<UInt8> where Index == Int {
  /// Whether a place lies between the bytes of one Unicode scalar; the bytes are UTF-8.
  package func isInsideScalar(_ place: Int) -> Bool {
    place < endIndex && self[place] & 0xc0 == 0x80
  }
}

extension CBOREncoder {
  /// Writes the delta of a text or a byte string: one splice, or the whole value if the splice
  /// would not save enough.
  package mutating func encodeSplice(
    from old: UnsafeBufferPointer<UInt8>,
    to new: UnsafeBufferPointer<UInt8>,
    isText: Bool,
  ) {
    let major = isText ? CBOR.text : CBOR.bytes
    guard let splice = Splice(from: old, to: new, isText: isText) else {
      header(major, UInt64(new.count))
      return append(raw: new)
    }
    unshared += new.count - splice.inserted
    arrayHeader(3)
    encode(unsigned: UInt64(splice.start))
    encode(unsigned: UInt64(splice.removed))
    header(major, UInt64(splice.inserted))
    append(raw: new[splice.start..<(splice.start + splice.inserted)])
  }
}

extension CBORDecoder {
  /// Reads the place of a splice, and returns the range of bytes that it removes.
  package mutating func splicePlace(
    items: Int,
    in count: Int,
  ) throws(CodecError) -> Range<Int> {
    guard items == 3 else {
      throw error(.deltaMismatch, "expected a splice as an array of 3, found an array of \(items)")
    }
    let start = try place(below: count + 1, "the place")
    let removed = try place(below: count - start + 1, "the number of bytes")
    return start..<(start + removed)
  }
}

extension String {
  /// Applies the delta of a text: the new text, or splices of the old one.
  package mutating func applyTextDelta(from decoder: inout CBORDecoder) throws(CodecError) {
    guard try decoder.peekKind() == .array else {
      self = try decoder.text()
      return
    }
    try decoder.edits { (decoder, items) throws(CodecError) in
      let offset = decoder.offset
      let range = try decoder.splicePlace(items: items, in: utf8.count)
      let replacement = try decoder.text()
      guard let spliced = splicing(range, with: replacement) else {
        throw CodecError(
          .deltaMismatch,
          "the splice from byte \(range.lowerBound) to \(range.upperBound) cuts a character",
          offset: offset,
        )
      }
      self = spliced
    }
  }

  /// The text with a range of its UTF-8 bytes replaced; nil if an end of the range lies inside a
  /// Unicode scalar.
  package func splicing(_ range: Range<Int>, with replacement: String) -> String? {
    var (text, replacement) = (self, replacement)
    return text.withUTF8 { old -> String? in
      guard !old.isInsideScalar(range.lowerBound), !old.isInsideScalar(range.upperBound) else {
        return nil
      }
      return replacement.withUTF8 { new in
        let count = old.count - range.count + new.count
        return String(unsafeUninitializedCapacity: count) { buffer in
          var rest = buffer[...]
          for part in [old[..<range.lowerBound], new[...], old[range.upperBound...]] {
            _ = rest.update(fromContentsOf: part)
            rest = rest.dropFirst(part.count)
          }
          return count
        }
      }
    }
  }
}
