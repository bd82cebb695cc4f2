@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// The bytes of a text of hexadecimal digits; spaces are ignored.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  precondition(digits.count % 2 == 0, "\(text) has \(digits.count) digits.")
  return stride(from: 0, to: digits.count, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}

/// The bytes as hexadecimal digits.
func hexText(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { byte in
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }
  .joined()
}

/// A generator whose numbers depend only on a seed (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &self) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }
}

/// The error of decoding all bytes as one item; nil if the bytes are valid.
func decodingError(_ bytes: [UInt8]) -> CodecError? {
  var decoder = CBORDecoder(bytes)
  do throws(CodecError) {
    try decoder.skipItem()
    try decoder.finish()
    return nil
  } catch {
    return error
  }
}

/// A random item in deterministic form.
func randomItem(_ random: inout SeededRandom, depth: Int = 0) -> [UInt8] {
  var encoder = CBOREncoder()
  appendRandomItem(&random, depth: depth, to: &encoder)
  return encoder.bytes
}

private func appendRandomItem(
  _ random: inout SeededRandom,
  depth: Int,
  to encoder: inout CBOREncoder,
) {
  let count = Int.random(in: 0...3, using: &random)
  switch Int.random(in: 0..<(depth < 4 ? 9 : 6), using: &random) {
  case 0: encoder.encode(unsigned: random.next() >> UInt64.random(in: 0...63, using: &random))
  case 1: encoder.encode(negative: random.next() >> UInt64.random(in: 0...63, using: &random))
  case 2: encoder.encode(double: Double(bitPattern: random.next()))
  case 3: encoder.encode(text: String(repeating: random.pick(["a", "é", "𝄞"]), count: count * 9))
  case 4: encoder.encode(bytes: (0..<count).map { UInt8($0) })
  case 5: random.chance(2) ? encoder.encodeNull() : encoder.encode(bool: random.chance(2))
  case 6:
    encoder.arrayHeader(count)
    for _ in 0..<count { appendRandomItem(&random, depth: depth + 1, to: &encoder) }
  case 7:
    var items = SortedItems()
    for _ in 0..<count {
      let (key, value) = (randomItem(&random, depth: 4), randomItem(&random, depth: depth + 1))
      items.add {
        $0.append(raw: key)
      } value: {
        $0.append(raw: value)
      }
    }
    items.writeMap(to: &encoder)
  default:
    var items = SortedItems()
    for _ in 0..<count {
      let element = randomItem(&random, depth: depth + 1)
      items.add { $0.append(raw: element) }
    }
    items.writeSet(to: &encoder)
  }
}
