import StoreState
import Testing

/// PROTOCOL.md §4; an independent implementation of that text computed the expected numbers.
@Suite struct DigestTests {
  @Test(
    "Digests are the numbers that the protocol defines",
    arguments: [
      ("00", "74f839c593dc67fd"), ("1903e8", "3f65baa936a08acb"), ("3863", "4b6e581ebe198824"),
      ("f5", "968b50dbc1c8e403"), ("f6", "dc2b1404ead51bcb"), ("f93c00", "9f2cba95d652593d"),
      ("fb3ff199999999999a", "ef534f9d45cf7f87"), ("6449455446", "4fe1d90737647d8b"),
      ("4401020304", "6348a06ea0b5433d"), ("80", "09724dbeffe3d09a"),
      ("83010203", "edb4a8fef0540d9a"), ("a0", "e63a5572b07da243"),
      ("a26161016162820203", "ba6424eb3ccf2f8b"), ("d9010280", "3392d18bba8fccec"),
      ("d9010283010203", "c29ea761a4421949"), ("826161a161626163", "31424d969d440447"),
      ("a16161a0", "f429b6aa5a22ea58"),
    ],
  )
  func pinned(item: String, digest: String) throws {
    #expect(try Digest.of(canonical: hex(item)).description == digest)
  }

  @Test("Digests differ exactly when the items do")
  func equality() throws {
    var random = SeededRandom(10)
    var items: [Digest: [UInt8]] = [:]
    var different: Set<[UInt8]> = []
    for _ in 0..<5000 {
      let item = randomItem(&random)
      let digest = try Digest.of(canonical: item)
      #expect(items[digest] ?? item == item)
      items[digest] = item
      different.insert(item)
    }
    #expect(items.count == different.count)
    #expect(different.count > 1000)
  }

  @Test("A non-canonical item has no digest")
  func refused() {
    for text in ["a2 02 00 01 00", "1801", "8101 00", "81", "f7"] {
      #expect(throws: CodecError.self) { try Digest.of(canonical: hex(text)) }
    }
  }

  @Test("A digest is written as 16 digits")
  func text() {
    #expect(Digest(rawValue: 0xabc).description == "0000000000000abc")
    #expect(Digest(rawValue: .max).description == "ffffffffffffffff")
  }
}
