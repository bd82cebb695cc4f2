import Testing

@testable import StoreState

/// Two deltas are one; PROTOCOL.md §3.1.
@Suite(.timeLimit(.minutes(3))) struct DeltaCompositionTests {
  @Test(
    "A generic delta leads from the old value to the new one, for random schemas",
    arguments: 0..<150 as Range<UInt64>,
  )
  func genericDifference(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let schema = try RandomSchema(&random).identified()
    for _ in 0..<20 {
      let old = schema.value(&random)
      try old.validate(against: schema.document)
      let new = random.chance(2) ? schema.mutated(old, &random) : schema.value(&random)
      let delta = try new.delta(from: old, in: schema.document)
      #expect((delta == nil) == (old == new))
      guard let delta else { continue }
      #expect(decodingError(delta) == nil)
      #expect(try old.applying(delta: delta, in: schema.document) == new)
    }
  }

  @Test("A generic delta has the bytes of the typed one", arguments: 0..<60 as Range<UInt64>)
  func genericDifferenceOfTypes(seed: UInt64) throws {
    var random = SeededRandom(seed)
    var old = AllKinds.random(&random)
    for _ in 0..<20 {
      var new = old
      for _ in 0..<Int.random(in: 0...4, using: &random) { new.mutate(&random) }
      let generic = try GenericValue(encoded: new.encoded())
        .delta(from: GenericValue(encoded: old.encoded()), in: AllKinds.document)
      #expect(generic.map(hexText) == new.delta(from: old).map(hexText))
      old = new
    }
  }

  @Test(
    "Composed deltas do what they do one after the other, for random schemas",
    arguments: 0..<200 as Range<UInt64>,
  )
  func randomSchemas(seed: UInt64) throws {
    var random = SeededRandom(seed)
    let schema = try RandomSchema(&random).identified()
    for _ in 0..<10 {
      var values = [schema.value(&random)]
      for _ in 0..<Int.random(in: 2...5, using: &random) {
        let next =
          random.chance(6)
          ? schema.value(&random) : schema.mutated(values[values.count - 1], &random)
        values.append(next)
      }
      try check(values, in: schema.document)
    }
  }

  @Test("Composed deltas of a state do what they do one after the other")
  func typed() throws {
    for seed in 0..<60 as Range<UInt64> {
      var random = SeededRandom(seed)
      var values = [AllKinds.random(&random)]
      for _ in 0..<6 {
        var next = values[values.count - 1]
        for _ in 0..<Int.random(in: 0...3, using: &random) { next.mutate(&random) }
        values.append(next)
      }
      try checkTyped(values)
    }
  }

  @Test("Arrays: every three values of up to three elements")
  func arrays() throws {
    let all = allLists(of: [1, 2], upTo: 3)
    try checkAll(all.map { $0.map { [$0] } })
  }

  @Test("Sets and dictionaries: every three values, and the bytes of a set's delta")
  func keyed() throws {
    let subsets = (0..<8).map { bits in Set((0..<3).filter { bits >> $0 & 1 == 1 }) }
    try checkAll(subsets, areBytesSame: true)
    let states: [[Int: [Int]]] = [
      [:], [1: []], [1: [1]], [1: [1, 2]], [2: []], [1: [], 2: []], [1: [1], 2: [2]],
    ]
    try checkAll(states)
  }

  @Test("Optionals and choices: every three values")
  func optionals() throws {
    try checkAll([nil, .some(nil), .some([]), .some([1]), .some([1, 2])] as [[Int]??])
    let todo = Todo(title: "a", id: 1)
    try checkAll([
      Destination.nowhere, .home, .edit(todo), .edit(Todo()), .move(from: 1, to: 2),
      .move(from: 3, to: 2), .move(from: 3, to: 4),
    ])
  }

  @Test("Identified rows: every three arrays of up to three rows, with changes inside")
  func rows() throws {
    var states: [Rows] = []
    for ids in allLists(of: [1, 2, 3], upTo: 3) where Set(ids).count == ids.count {
      for title in ["a", "\(ids)"] {
        states.append(Rows(uniqueElements: ids.map { Row($0, title) }))
      }
    }
    try checkAll(states)
  }

  // MARK: Checks

  private func allLists(of elements: [Int], upTo count: Int) -> [[Int]] {
    guard count > 0 else { return [[]] }
    let shorter = allLists(of: elements, upTo: count - 1)
    return shorter
      + shorter.filter { $0.count == count - 1 }
      .flatMap { list in elements.map { list + [$0] } }
  }

  private func checkAll<State: ReplicatedState>(
    _ values: [State],
    areBytesSame: Bool = false,
  ) throws {
    let document = SchemaRegistry.document(for: State.self)
    let deltas = values.map { old in values.map { $0.delta(from: old) } }
    let encodings = values.map { $0.encoded() }
    for first in values.indices {
      for second in values.indices {
        for third in values.indices {
          var composition = DeltaComposition(document)
          if let delta = deltas[first][second] { try composition.append(delta) }
          if let delta = deltas[second][third] { try composition.append(delta) }
          let composed = composition.encoded
          let ends = "\(values[first]), \(values[second]), \(values[third])"
          if areBytesSame { #expect(composed == deltas[first][third], "\(ends)") }
          guard let composed else {
            #expect(encodings[first] == encodings[third], "\(ends)")
            continue
          }
          guard decodingError(composed) == nil,
            let result = try? values[first].applying(delta: composed),
            result.encoded() == encodings[third]
          else {
            Issue.record("\(ends): \(hexText(composed))")
            return
          }
        }
      }
    }
  }

  private func checkTyped<State: ReplicatedState>(_ values: [State]) throws {
    var composition = DeltaComposition(SchemaRegistry.document(for: State.self))
    for (old, new) in zip(values, values.dropFirst()) {
      if let delta = new.delta(from: old) { try composition.append(delta) }
    }
    let last = values[values.count - 1].encoded()
    let composed = composition.encoded
    let result = try composed.map { try values[0].applying(delta: $0) } ?? values[0]
    #expect(result.encoded() == last, "\(hexText(composed ?? []))")
  }

  private func check(_ values: [GenericValue], in document: SchemaDocument) throws {
    var composition = DeltaComposition(document)
    var steps: [[UInt8]] = []
    for (old, new) in zip(values, values.dropFirst()) {
      if let delta = try new.delta(from: old, in: document) { steps.append(delta) }
    }
    for step in steps { try composition.append(step) }
    let last = values[values.count - 1]
    guard let composed = composition.encoded else {
      #expect(values[0] == last)
      return
    }
    #expect(composition.isEmpty == false)
    #expect(decodingError(composed) == nil, "\(hexText(composed))")
    let result = try values[0].applying(delta: composed, in: document)
    #expect(result == last, "\(values) \(hexText(composed))")
    // In whatever order they are composed, the result is a delta that can be composed again.
    guard steps.count > 2 else { return }
    var tail = DeltaComposition(document)
    for step in steps.dropFirst() { try tail.append(step) }
    var again = DeltaComposition(document)
    try again.append(steps[0])
    if let tail = tail.encoded { try again.append(tail) }
    let other = try again.encoded.map { try values[0].applying(delta: $0, in: document) }
    #expect((other ?? values[0]) == last)
  }
}
