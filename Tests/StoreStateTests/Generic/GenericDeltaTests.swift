import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

@Suite("Generic value: deltas", .timeLimit(.minutes(1)))
struct GenericDeltaTests {
  @Test("For random edits they match typed values", arguments: 0..<60 as Range<UInt64>)
  func agreement(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var value = AllKinds.random(&random)
    for _ in 0..<25 {
      let old = value
      for _ in 0..<Int.random(in: 0...4, using: &random) { value.mutate(&random) }
      try checkDelta(from: old, to: value)
    }
  }

  @Test(
    "Between any two values they match typed values",
    arguments: 0..<40 as Range<UInt64>,
  )
  func agreementOfStrangers(seed: UInt64) throws {
    var random = SeededRandom(seed)
    try checkDelta(from: AllKinds.random(&random), to: AllKinds.random(&random))
    try checkDelta(from: AppState.random(&random), to: AppState.random(&random))
    try checkDelta(from: Int???.random(&random), to: Int???.random(&random))
    try checkDelta(from: [Todo??].random(&random), to: [Todo??].random(&random))
  }

  @Test("They reject the same deltas, and never trap", arguments: 0..<20 as Range<UInt64>)
  func damaged(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let (old, new) = (AllKinds.random(&random), AllKinds.random(&random))
    guard let delta = new.delta(from: old) else { return }
    let generic = try GenericValue(encoded: old.encoded())
    for _ in 0..<400 {
      var damaged = delta
      for _ in 0...Int.random(in: 0...2, using: &random) {
        let place = Int.random(in: 0..<damaged.count, using: &random)
        switch random.next() % 4 {
        case 0: damaged.remove(at: place)
        case 1: damaged.insert(UInt8.random(in: 0...255, using: &random), at: place)
        default: damaged[place] = UInt8.random(in: 0...255, using: &random)
        }
        if damaged.isEmpty { damaged = [0xf6] }
      }
      try compare(old, generic, damaged)
    }
  }

  private func compare(_ old: AllKinds, _ generic: GenericValue, _ delta: [UInt8]) throws {
    let typed = Result { try old.applying(delta: delta).encoded() }
    let other = Result { try generic.applying(delta: delta, in: AllKinds.document) }
    switch (typed, other) {
    case (.success(let one), .success(let other)):
      #expect(one == other.encoded(), "\(hexText(delta))")
      try other.validate(against: AllKinds.document)
    case (.failure, .failure):
      break
    case (.success, .failure(let error)):
      Issue.record("only the generic value refuses: \(error): \(hexText(delta))")
    case (.failure(let error), .success):
      // Swift treats some texts with different bytes as equal, and not every text is a URL.
      let message = "\(error)"
      let isKnown =
        message.contains("equals another one") || message.contains("expected a URL")
        || message.contains("an element to insert is there")
      #expect(isKnown, "only the typed value refuses: \(error): \(hexText(delta))")
    }
  }

  @Test("Every beginning of a delta is refused")
  func truncated() throws {
    var random = SeededRandom(5)
    let (old, new) = (AllKinds.random(&random), AllKinds.random(&random))
    let delta = try #require(new.delta(from: old))
    let generic = try GenericValue(encoded: old.encoded())
    for length in 0..<delta.count {
      #expect(throws: CodecError.self) {
        try generic.applying(delta: delta[..<length], in: AllKinds.document)
      }
    }
  }

  private func error(_ value: some ReplicatedState, _ delta: String) throws -> String {
    try error(value, of: type(of: value), delta)
  }

  private func error<State: ReplicatedState>(
    _ value: some ReplicatedState,
    of type: State.Type,
    _ delta: String,
  ) throws -> String {
    let document = SchemaRegistry.document(for: type)
    let generic = try GenericValue(encoded: value.encoded())
    let error = #expect(throws: CodecError.self) {
      try generic.applying(delta: hex(delta), in: document)
    }
    return "\(try #require(error))"
  }

  @Test("A delta that does not fit is rejected with the path")
  func paths() throws {
    var state = AppState()
    state.todos = [Todo(title: "a"), Todo(title: "b")]
    state.byName = ["x": Todo()]
    state.destination = .edit(Todo())
    #expect(try error(state, "a1 00 82 01 a1 00 03").hasPrefix("$.todos[1].title: expected text"))
    #expect(try error(state, "a1 00 82 02 a1 00 03").hasPrefix("$.todos: element 2 is outside"))
    #expect(try error(state, "a1 00 83 01 02 80").hasPrefix("$.todos: the number of elements 2"))
    #expect(try error(state, "a1 00 83 00 00 81 f6").hasPrefix("$.todos[0]: expected Todo, found"))
    #expect(
      try error(state, "a1 00 84 00 00 80 00").hasPrefix("$.todos: expected the delta of an")
    )
    #expect(try error(state, "a1 01 82 03 a1 00 a1 01 f5").hasPrefix("$.destination.edit._0.id: "))
    #expect(try error(state, "a1 01 82 00 63 61 62 63").contains("no case \"abc\""))
    #expect(try error(state, "a1 01 82 06 f6").hasPrefix("$.destination: expected 0 (replaced)"))
    #expect(try error(state, "a1 02 82 01 a0").hasPrefix("$.last: the delta changes a value that"))
    #expect(
      try error(state, "a1 03 a1 00 81 61 79").hasPrefix("$.byName[y]: the key is not there")
    )
    #expect(
      try error(state, "a1 03 a1 02 82 61 78 a1 01 f5").hasPrefix("$.byName[x].id: expected")
    )
    #expect(try error(state, "a1 04 a1 00 81 05").hasPrefix("$.selection: an element to remove"))
    #expect(try error(state, "a1 07 00").hasPrefix("$: the field 7 is outside"))
    state.destination = .home
    #expect(try error(state, "a1 01 82 02 a0").contains("the case home has no payload"))
  }

  @Test("A row's path has its id in JSON form, also if the id is a UUID")
  func pathOfUUID() throws {
    let rows: IdentifiedArrayOf<UUIDRow> = [UUIDRow()]
    let id = "01020304-0506-0708-090A-0B0C0D0E0F10"
    let delta = "a1 03 82 50 0102030405060708090a0b0c0d0e0f10 a1 02 03"
    let message = "$[\(id)].isCompleted: expected "
    #expect(try error(rows, delta).hasPrefix(message))
    let typed = #expect(throws: CodecError.self) { try rows.applying(delta: hex(delta)) }
    #expect("\(try #require(typed))".hasPrefix(message))
  }

  @Test("A value that is not of the schema gives an error, not a trap")
  func wrongValue() throws {
    for value in [GenericValue.null, .unsigned(4), .array([]), .map([]), .text("x")] {
      for delta in ["a1 00 82 00 a1 00 61 61", "a1 01 82 01 a1 00 a0", "a1 03 a1 00 81 61 79"] {
        _ = try error(value, of: AppState.self, delta)
      }
    }
  }
}
