import Foundation
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Splices between scalars that share bytes")
struct SpliceLawTests {
  /// Scalars of one to four bytes, some of which share their first or their last bytes.
  private static let scalars = [
    "", "a", "e\u{301}", "\u{301}", "é", "è", "ĩ", "\u{129}\u{301}", "€", "₭", "\u{10ac}", "𝄞",
    "𝄟", "\u{2f11e}", "👨‍👩‍👧", "👩",
  ]

  @Test("A replacement never splits a scalar")
  func replacements() throws {
    let long = String(repeating: "0123456789é", count: 8)
    let document = try SchemaDocument(root: .text, definitions: [:])
    for (before, after) in [("", long), (long, ""), (long, long), (long + "é", "ĩ" + long)] {
      for one in Self.scalars {
        for other in Self.scalars {
          let (old, new) = (before + one + after, before + other + after)
          guard let delta = new.delta(from: old) else {
            #expect(old._$isSame(as: new))
            continue
          }
          #expect(try old.applying(delta: delta)._$isSame(as: new), "\(one) → \(other)")
          let value = try GenericValue.text(old).applying(delta: delta, in: document)
          #expect(value == .text(new), "\(one) → \(other)")
          #expect(try GenericValue.text(new).delta(from: .text(old), in: document) == delta)
          #expect(delta[0] == 0x83, "\(one) → \(other) is spliced")
          try check(from: Data(old.utf8), to: Data(new.utf8))
        }
      }
    }
  }

  @Test("Repeated content at the place of a change is counted once")
  func repetitions() throws {
    for count in [33, 34, 40, 80] {
      for (one, other) in [(count, count + 1), (count, count + 7), (count + 9, count)] {
        for scalar in ["a", "é", "𝄞"] {
          let old = String(repeating: scalar, count: one)
          let new = String(repeating: scalar, count: other)
          try check(from: old, to: new)
          try check(from: Data(old.utf8), to: Data(new.utf8))
        }
      }
    }
  }

  @Test("A splice that begins or ends inside of a scalar is rejected")
  func cuts() throws {
    let text = "aé𝄞b"
    let boundaries: Set = [0, 1, 3, 7, 8]
    for start in 0...8 {
      for end in start...8 {
        var encoder = CBOREncoder()
        encoder.arrayHeader(3)
        encoder.encode(unsigned: UInt64(start))
        encoder.encode(unsigned: UInt64(end - start))
        encoder.encode(text: "é")
        let isWhole = boundaries.contains(start) && boundaries.contains(end)
        if isWhole {
          let bytes = Array(text.utf8)
          let expected = bytes[..<start] + "é".utf8 + bytes[end...]
          #expect(try Array(text.applying(delta: encoder.bytes).utf8) == Array(expected))
        } else {
          let error = #expect(throws: CodecError.self) { try text.applying(delta: encoder.bytes) }
          #expect(error?.code == .deltaMismatch)
        }
      }
    }
  }
}
