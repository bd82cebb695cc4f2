import StoreState
import Testing

/// `apply(old, diff(old, new))` is `new`, byte for byte, and digests match; PROTOCOL.md §3 and §4.
@Suite(.timeLimit(.minutes(2))) struct DeltaTests {
  private func run<State: RandomState>(
    _ type: State.Type,
    seed: UInt64,
    pairs: Int = 400,
    sourceLocation: SourceLocation = #_sourceLocation,
  ) throws {
    var random = SeededRandom(seed)
    var state = State.random(&random)
    for _ in 0..<pairs {
      var next = state
      if random.chance(4) { next = .random(&random) } else { next.mutate(&random) }
      try check(from: state, to: next, sourceLocation: sourceLocation)
      state = next
    }
  }

  @Test("Simple values")
  func simple() throws {
    try run(Bool.self, seed: 20)
    try run(Int.self, seed: 21)
    try run(Double.self, seed: 22)
    try run(String.self, seed: 23)
    try run(Filter.self, seed: 24)
    try run(RowID.self, seed: 25)
  }

  @Test("Optionals, also of optionals")
  func optionals() throws {
    try run(Int?.self, seed: 30)
    try run(String??.self, seed: 31)
    try run(Int???.self, seed: 32)
    try run([Int?]?.self, seed: 33)
    try run(Todo?.self, seed: 34)
  }

  @Test("Arrays, also of arrays")
  func arrays() throws {
    try run([Int].self, seed: 40)
    try run([[String]].self, seed: 41)
    try run([Double?].self, seed: 42)
    try run([Todo].self, seed: 43)
  }

  @Test("Sets, also with elements that are equal or differ from themselves in Swift")
  func sets() throws {
    try run(Set<Int>.self, seed: 50)
    try run(Set<String>.self, seed: 51)
    try run(Set<Double>.self, seed: 52)
    try run(Set<[Double?]>.self, seed: 53)
    try run([Set<RowID>].self, seed: 54)
  }

  @Test("Dictionaries, also with keys that are equal or differ from themselves in Swift")
  func dictionaries() throws {
    try run([Int: String].self, seed: 60)
    try run([String: Int?].self, seed: 61)
    try run([Double: [Int]].self, seed: 62)
    try run([String: [String: Todo]].self, seed: 63)
    try run([[Double]: Double].self, seed: 64)
  }

  @Test("Records, choices and all of them together")
  func records() throws {
    try run(Todo.self, seed: 70)
    try run(Destination.self, seed: 71)
    try run(Tree.self, seed: 72)
    try run(AppState.self, seed: 73, pairs: 600)
    try run(AppState?.self, seed: 74)
  }

  @Test("A truncated delta is rejected")
  func truncatedDeltas() throws {
    var random = SeededRandom(80)
    for _ in 0..<60 {
      let (old, new) = (AppState.random(&random), AppState.random(&random))
      guard let delta = new.delta(from: old) else { continue }
      for end in 0..<delta.count {
        #expect(throws: CodecError.self) { try old.applying(delta: delta[..<end]) }
      }
      #expect(throws: CodecError.self) { try old.applying(delta: delta + [0]) }
    }
  }

  @Test("A delta with a changed byte, or for another value, never traps")
  func hostileDeltas() throws {
    var random = SeededRandom(81)
    for _ in 0..<3000 {
      let (old, new) = (AppState.random(&random), AppState.random(&random))
      guard var delta = new.delta(from: old) else { continue }
      let stranger = AppState.random(&random)
      if let result = try? stranger.applying(delta: delta) {
        #expect(decodingError(result.encoded()) == nil)
      }
      delta[Int.random(in: 0..<delta.count, using: &random)] ^= 1 << (random.next() % 8)
      if let result = try? old.applying(delta: delta) {
        #expect(try AppState(encoded: result.encoded())._$digest == result._$digest)
      }
    }
  }
}
