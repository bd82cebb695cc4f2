import Testing

@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite struct IncrementalDigestTests {
  private func digests(_ count: Int, seed: UInt64) -> [Digest] {
    var random = SeededRandom(seed)
    return (0..<count).map { _ in Digest(rawValue: random.next()) }
  }

  private func sequence(_ digests: some Sequence<Digest>) -> SequenceDigest {
    var sequence = SequenceDigest()
    for digest in digests { sequence.append(digest) }
    return sequence
  }

  @Test("The digest of a sequence does not depend on the place of concatenation")
  func concatenation() {
    let all = digests(20, seed: 1)
    let whole = sequence(all)
    for first in 0...all.count {
      for second in first...all.count {
        let (a, b) = (sequence(all[..<first]), sequence(all[first..<second]))
        let c = sequence(all[second...])
        #expect(a.followed(by: b).followed(by: c) == whole)
        #expect(a.followed(by: b.followed(by: c)) == whole)
      }
    }
  }

  @Test("The order of a sequence matters")
  func order() {
    let all = digests(2, seed: 2)
    #expect(sequence(all).finish() != sequence(all.reversed()).finish())
    #expect(sequence([]).finish() != sequence([Digest(rawValue: 0)]).finish())
  }

  @Test("Digests near the modulus are reduced")
  func modulus() {
    let modulus: UInt64 = (1 << 61) - 1
    for value in [0, 1, modulus - 1, modulus, modulus + 1, 2 * modulus, .max] {
      let element = SequenceDigest(Digest(rawValue: value))
      #expect(element.value == value % modulus)
    }
  }

  @Test("Entries of a map can be added and removed in any order")
  func maps() {
    let (keys, values) = (digests(10, seed: 3), digests(10, seed: 4))
    var forwards = MapDigest()
    for index in 0..<10 { forwards.add(key: keys[index], value: values[index]) }
    var backwards = MapDigest()
    for index in (0..<10).reversed() { backwards.add(key: keys[index], value: values[index]) }
    #expect(forwards.finish() == backwards.finish())

    forwards.add(key: values[0], value: keys[0])
    #expect(forwards.finish() != backwards.finish())
    forwards.remove(key: values[0], value: keys[0])
    #expect(forwards == backwards)
  }

  @Test("Elements of a set can be added and removed in any order")
  func sets() {
    let elements = digests(10, seed: 5)
    var forwards = SetDigest()
    for element in elements { forwards.add(element) }
    var backwards = SetDigest()
    for element in elements.reversed() { backwards.add(element) }
    #expect(forwards.finish() == backwards.finish())
    forwards.remove(elements[3])
    #expect(forwards.finish() != backwards.finish())
    forwards.add(elements[3])
    #expect(forwards == backwards)
  }

  @Test("Arrays, maps and sets without content differ from each other")
  func kinds() {
    let empty = [SequenceDigest().finish(), MapDigest().finish(), SetDigest().finish()]
    #expect(Set(empty).count == 3)
  }
}
