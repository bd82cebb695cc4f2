/// Digests of simple values without an encoding.
extension Digest {
  package init(unsigned value: UInt64) { self.init(header: CBOR.unsigned, value) }

  package init(signed value: Int64) {
    if value >= 0 {
      self.init(header: CBOR.unsigned, UInt64(value))
    } else {
      self.init(header: CBOR.negative, UInt64(bitPattern: ~value))
    }
  }

  package init(bool value: Bool) { self.init(byte: value ? CBOR.true : CBOR.false) }

  package static let null = Digest(byte: CBOR.null)

  package init(double value: Double) {
    var hasher = SipHash24()
    switch FloatPattern(value) {
    case .half(let bits):
      hasher.append(CBOR.half)
      hasher.append(bigEndian: UInt64(bits), count: 2)
    case .single(let bits):
      hasher.append(CBOR.single)
      hasher.append(bigEndian: UInt64(bits), count: 4)
    case .double(let bits):
      hasher.append(CBOR.double)
      hasher.append(bigEndian: bits, count: 8)
    }
    self.init(rawValue: hasher.finish())
  }

  package init(text: String) {
    var text = text
    self = text.withUTF8 { Digest(header: CBOR.text, content: UnsafeRawBufferPointer($0)) }
  }

  package init(bytes: UnsafeRawBufferPointer) { self.init(header: CBOR.bytes, content: bytes) }

  private init(byte: UInt8) {
    var hasher = SipHash24()
    hasher.append(byte)
    rawValue = hasher.finish()
  }

  private init(header major: UInt8, _ argument: UInt64) {
    var hasher = SipHash24()
    hasher.append(header: major, argument)
    rawValue = hasher.finish()
  }

  private init(header major: UInt8, content: UnsafeRawBufferPointer) {
    var hasher = SipHash24()
    hasher.append(header: major, UInt64(content.count))
    hasher.append(content)
    rawValue = hasher.finish()
  }
}
