import StoreState
import Testing

/// A delta that does not fit is rejected with the path of the fault; PROTOCOL.md §3.
@Suite struct DeltaRefusalTests {
  private func refusal<State: ReplicatedState>(
    _ delta: String,
    of state: State,
    sourceLocation: SourceLocation = #_sourceLocation,
  ) -> String? {
    let error = #expect(throws: CodecError.self, sourceLocation: sourceLocation) {
      try state.applying(delta: hex(delta))
    }
    return error?.description
  }

  @Test("Places outside of an array")
  func arrays() {
    #expect(
      refusal("82 03 00", of: [1, 2, 3]) == "$: element 3 is outside: there are 3 (at byte 1)"
    )
    #expect(refusal("83 04 00 80", of: [1, 2, 3])?.contains("the place 4") == true)
    #expect(refusal("83 01 03 80", of: [1, 2, 3])?.contains("the number of elements 3") == true)
    #expect(refusal("82 1bffffffffffffffff 00", of: [1])?.contains("outside") == true)
    #expect(refusal("83 1bffffffffffffffff 00 80", of: [1])?.contains("outside") == true)
    #expect(refusal("81 00", of: [1])?.contains("array of 2 or 3") == true)
    #expect(
      refusal("82 01 f5", of: [1, 2]) == "$[1]: expected an integer, found true (at byte 2)"
    )
  }

  @Test("Fields and labels that are missing or out of order")
  func records() {
    #expect(refusal("a1 05 00", of: Todo()) == "$: field 5 is outside: there are 5 (at byte 1)")
    #expect(refusal("a1 00 01", of: Todo()) == "$.title: expected text, found 1 (at byte 2)")
    #expect(refusal("a2 02 f5 01 00", of: Todo())?.contains("order") == true)
    let move = Destination.move(from: 1, to: 2)
    #expect(refusal("82 04 a1 02 00", of: move)?.contains("$.move: label 2 is outside") == true)
    #expect(refusal("82 04 a2 01 00 00 00", of: move)?.contains("stands after") == true)
    #expect(refusal("82 04 a2 00 00 00 00", of: move)?.contains("stands after") == true)
    #expect(refusal("82 04 a1 00 f5", of: move)?.contains("$.move.from: expected an int") == true)
    #expect(refusal("82 06 00", of: move)?.contains("expected 0 (replaced) or 1 to 5") == true)
    #expect(
      refusal("82 03 a0", of: move)
        == "$: the delta changes the case edit, the value is move (at byte 2)"
    )
    #expect(refusal("82 02 a0", of: Destination.home)?.contains("no payload") == true)
    #expect(refusal("82 01 a0", of: Filter.all)?.contains("no payload") == true)
  }

  @Test("A change inside of an absent value")
  func optionals() {
    #expect(refusal("82 01 00", of: Optional<Int>.none)?.contains("absent") == true)
    #expect(refusal("82 02 00", of: Optional(1))?.contains("expected 0 (replaced)") == true)
    #expect(refusal("83 00 00 00", of: Optional(1))?.contains("an array of 3") == true)
  }

  @Test("Elements that exist or are missing")
  func sets() {
    #expect(refusal("a1 00 81 03", of: Set([1]))?.contains("to remove is not there") == true)
    #expect(refusal("a1 01 81 01", of: Set([1]))?.contains("to insert is there") == true)
    #expect(refusal("a1 02 81 01", of: Set([1]))?.contains("the change 2 is outside") == true)
    #expect(refusal("a1 01 81 62c3a9", of: Set(["e\u{301}"]))?.contains("is there") == true)
  }

  @Test("Keys that are missing, or equal another one")
  func dictionaries() {
    let state = [1: [1]]
    #expect(refusal("a1 00 81 02", of: state)?.contains("$[2]: the key is not there") == true)
    #expect(refusal("a1 02 82 02 80", of: state)?.contains("$[2]: the key is not there") == true)
    #expect(refusal("a1 01 81 02", of: state)?.contains("a key without a value") == true)
    #expect(refusal("a1 02 82 01 82 01 00", of: state)?.contains("$[1]: element 1") == true)
    #expect(refusal("a1 01 82 01 80", of: state)?.contains("$[1]: the key is there") == true)
    #expect(refusal("a1 01 82 62c3a9 01", of: ["e\u{301}": 1])?.contains("equals another") == true)
  }

  @Test("A raw value without a case")
  func rawValues() {
    #expect(refusal("82 00 63616c6d", of: Filter.all)?.contains("did you mean \"all\"") == true)
    #expect(refusal("1a00010000", of: RowID(rawValue: 1))?.contains("from 0 to 65535") == true)
  }
}
