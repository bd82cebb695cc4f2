import StoreState
import Testing

/// The bytes of deltas; PROTOCOL.md §3.
@Suite struct DeltaFormTests {
  @Test("The delta of a record names the changed fields by their index")
  func record() {
    var (old, new) = (Todo(), Todo())
    old.title = "Milk"
    new.title = "Milk"
    new.isCompleted = true
    #expect(new.delta(from: old) == hex("a1 02 f5"))
    new.title = "Oats"
    #expect(new.delta(from: old) == hex("a2 00 644f617473 02 f5"))
    #expect(old.delta(from: old) == nil)
  }

  @Test("A property outside of the layout is private")
  func privateProperty() throws {
    var (old, new) = (Todo(), Todo())
    old.draft = "old"
    new.draft = "new"
    #expect(new.delta(from: old) == nil)
    #expect(new._$digest == old._$digest)
    #expect(try Todo(encoded: new.encoded()).draft == "")
    new.id = 1
    let delta = try #require(new.delta(from: old))
    #expect(try old.applying(delta: delta).draft == "old")
  }

  @Test("The delta of an optional states its removal, insertion or inner change")
  func optional() {
    #expect(Optional<[Int]>.none.delta(from: [1]) == hex("f6"))
    #expect(Optional([1]).delta(from: nil) == hex("82 00 8101"))
    #expect(Optional([2, 1]).delta(from: [3, 1]) == hex("82 01 82 00 02"))
    #expect(Optional(7).delta(from: 8) == hex("82 01 07"))
    #expect(Optional(7).delta(from: 7) == nil)
    #expect(Optional<Int>.none.delta(from: nil) == nil)
    // The inner optional was removed.
    #expect(Int??.some(nil).delta(from: .some(7)) == hex("82 01 f6"))
  }

  @Test("The delta of a choice replaces it, or names the case whose payload changes inside")
  func choice() {
    let (one, other) = (Destination.move(from: 1, to: 2), Destination.move(from: 1, to: 3))
    #expect(other.delta(from: one) == hex("82 04 a1 01 03"))
    #expect(Destination.home.delta(from: one) == hex("82 00 64686f6d65"))
    #expect(Destination.home.delta(from: .nowhere) == hex("82 00 64686f6d65"))
    #expect(Destination.home.delta(from: .home) == nil)
    #expect(Filter.active.delta(from: .all) == hex("82 00 66616374697665"))
  }

  @Test("The delta of an array changes one element or replaces a run of them")
  func array() {
    #expect([1, 2, 3].delta(from: [1, 7, 3]) == hex("82 01 02"))
    #expect([1, 2, 3].delta(from: [1, 3]) == hex("83 01 00 81 02"))
    #expect([1, 3].delta(from: [1, 2, 3]) == hex("83 01 01 80"))
    #expect([7, 2, 9].delta(from: [1, 2, 3]) == hex("83 00 03 83 07 02 09"))
    #expect([1, 1].delta(from: [1]) == hex("83 01 00 81 01"))
    #expect([Int]().delta(from: [1]) == hex("83 00 01 80"))
    #expect([[1, 2]].delta(from: [[1]]) == hex("82 00 83 01 00 81 02"))
  }

  @Test("The delta of a set lists removals and insertions, in the order of encodings")
  func set() {
    #expect(Set([1, 2, 300]).delta(from: [1, 5, 4]) == hex("a2 00 82 04 05 01 82 02 19012c"))
    #expect(Set([1]).delta(from: []) == hex("a1 01 81 01"))
    #expect(Set(["é"]).delta(from: ["e\u{301}"]) == hex("a2 00 81 6365cc81 01 81 62c3a9"))
  }

  @Test("The delta of a dictionary lists removals, insertions and inner changes")
  func dictionary() {
    let old = [1: [1], 2: [2], 3: [3]]
    #expect(
      [2: [2], 3: [4], 4: [5]].delta(from: old)
        == hex("a3 00 81 01 01 82 04 8105 02 82 03 82 00 04")
    )
    #expect([1: [1], 2: [2]].delta(from: old) == hex("a1 00 81 03"))
    #expect(["é": 1].delta(from: ["e\u{301}": 1]) == hex("a2 00 81 6365cc81 01 82 62c3a9 01"))
  }

  @Test("Several edits of an array apply in order")
  func severalEdits() throws {
    // 7 is inserted at index 0; then the 2 at index 2 becomes 9; then the last element is removed.
    let delta = hex("83 83 00 00 81 07 82 02 09 83 03 01 80")
    #expect(try [1, 2, 3].applying(delta: delta) == [7, 1, 9])
  }

  @Test("A key that is removed and inserted in one delta gets another value")
  func replacedKey() throws {
    #expect(try [1: [1, 2]].applying(delta: hex("a2 00 81 01 01 82 01 80")) == [1: []])
  }

  @Test("Other values are replaced")
  func others() {
    #expect("a".delta(from: "b") == hex("6161"))
    #expect(Double.nan.delta(from: -.nan) == nil)
    #expect((-0.0).delta(from: 0.0) == hex("f98000"))
  }
}
