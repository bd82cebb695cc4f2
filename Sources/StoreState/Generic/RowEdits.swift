/// What became of identified rows of which nobody knows the others: which go, move, come, and
/// change inside.
///
/// Places in a delta are places in the final order. A delta that follows can be taken into the one
/// before it when it takes out only rows whose places are known, or all of those that were placed;
/// else it remains a step of its own.
struct RowEdits: Sendable {
  /// What one map of a delta does to the order.
  struct Step: Sendable {
    /// Ids of rows that go, in the order in which they were named.
    var removed: [GenericValue] = []
    /// Rows that are placed, ascending.
    var placed: [Placed] = []

    var isEmpty: Bool { removed.isEmpty && placed.isEmpty }
  }

  /// A row that moves, or comes when it has a value.
  struct Placed: Sendable {
    var index: Int
    var id: GenericValue
    var value: GenericValue?
  }

  /// No array has as many rows, so that sums of places stay within 64 bits.
  static var mostRows: Int { 1 << 36 }

  private(set) var steps: [Step] = []
  /// The rows that change inside, in the order in which they were named first.
  private(set) var changes: [GenericValue: DeltaTree] = [:]
  private var order: [GenericValue] = []

  init() {}

  var isEmpty: Bool { steps.isEmpty && changes.isEmpty }

  /// The ids and deltas of the rows that change inside.
  var changed: [(id: GenericValue, delta: DeltaTree)] {
    order.compactMap { id in changes[id].map { (id, $0) } }
  }

  /// Lets rows go, move and come.
  mutating func append(_ step: Step) {
    guard !step.isEmpty else { return }
    for id in step.removed { changes[id] = nil }
    guard let last = steps.last, let merged = Self.merge(last, step) else {
      steps.append(step)
      return
    }
    steps.removeLast()
    if !merged.isEmpty { steps.append(merged) }
  }

  /// Changes a row inside: one that came by `apply`, one of the old rows by `compose`.
  mutating func change(
    _ id: GenericValue,
    compose: (DeltaTree?) throws(CodecError) -> DeltaTree?,
    apply: (inout GenericValue) throws(CodecError) -> Void,
  ) throws(CodecError) {
    if let (step, place) = insertion(of: id), var value = steps[step].placed[place].value {
      try apply(&value)
      steps[step].placed[place].value = value
      return
    }
    if changes[id] == nil {
      order.removeAll { $0 == id }
      order.append(id)
    }
    changes[id] = try compose(changes[id])
  }

  /// Where a row came that is there now; nil when it is one of the old rows, or gone.
  private func insertion(of id: GenericValue) -> (step: Int, place: Int)? {
    for step in steps.indices.reversed() {
      let place = steps[step].placed.firstIndex { $0.id == id && $0.value != nil }
      if let place { return (step, place) }
      if steps[step].removed.contains(id) { return nil }
    }
    return nil
  }

  /// Whether a row cannot be there: it went and did not come again.
  func isGone(_ id: GenericValue) -> Bool {
    for step in steps.reversed() {
      if step.placed.contains(where: { $0.id == id }) { return false }
      if step.removed.contains(id) { return true }
    }
    return false
  }

  /// A row that a step takes out although it cannot be there.
  func gone(among step: Step) -> GenericValue? {
    guard !steps.isEmpty else { return nil }
    let moved = step.placed.filter { $0.value == nil }.map(\.id)
    return (step.removed + moved).first(where: isGone)
  }
}

// MARK: - Two steps as one

extension RowEdits {
  /// One step that does what two do one after the other; nil when that takes the rows' order.
  private static func merge(_ first: Step, _ second: Step) -> Step? {
    let moved = Set(second.placed.filter { $0.value == nil }.map(\.id))
    let taken = moved.union(second.removed)
    let known = Dictionary(first.placed.map { ($0.id, $0) }) { first, _ in first }
    let staying = first.placed.filter { !taken.contains($0.id) }
    guard staying.isEmpty || taken.allSatisfy({ known[$0] != nil }) else { return nil }

    var result = first
    // A row that came goes without a trace; one that had only moved is an old row.
    result.removed += second.removed.filter { known[$0]?.value == nil }
    result.placed = second.placed.map { placed in
      var placed = placed
      if placed.value == nil { placed.value = known[placed.id]?.value }
      return placed
    }
    result.placed += shifted(
      staying,
      without: first.placed.filter { taken.contains($0.id) },
      second,
    )
    result.placed.sort { $0.index < $1.index }
    return result
  }

  /// The rows that the first step placed and the second left alone, at their final places.
  private static func shifted(
    _ staying: [Placed],
    without taken: [Placed],
    _ second: Step,
  ) -> [Placed] {
    let gone = taken.map(\.index).sorted()
    let come = second.placed.map(\.index).sorted()
    var (passed, next) = (0, 0)
    return staying.sorted { $0.index < $1.index }.map { placed in
      var placed = placed
      while passed < gone.count, gone[passed] < placed.index { passed += 1 }
      while next < come.count, come[next] <= placed.index - passed + next { next += 1 }
      placed.index += next - passed
      return placed
    }
  }
}

// MARK: - Encoding

extension RowEdits {
  /// Writes one step as a map, several as an array of maps; the last has the changes inside.
  func encode(to encoder: inout CBOREncoder) {
    let steps = steps.isEmpty ? [Step()] : steps
    if steps.count > 1 { encoder.arrayHeader(steps.count) }
    for (number, step) in steps.enumerated() {
      encode(step, changed: number == steps.count - 1 ? changed : [], to: &encoder)
    }
  }

  private func encode(
    _ step: Step,
    changed: [(id: GenericValue, delta: DeltaTree)],
    to encoder: inout CBOREncoder,
  ) {
    let moved = step.placed.filter { $0.value == nil }
    let inserted = step.placed.filter { $0.value != nil }
    let counts = [step.removed.count, moved.count * 2, inserted.count * 2, changed.count * 2]
    encoder.mapHeader(counts.count { $0 > 0 })
    for (part, count) in counts.enumerated() where count > 0 {
      encoder.encode(unsigned: UInt64(part))
      encoder.arrayHeader(count)
      switch part {
      case 0:
        for id in step.removed { id.encode(to: &encoder) }
      case 3:
        for (id, delta) in changed {
          id.encode(to: &encoder)
          delta.encode(to: &encoder)
        }
      default:
        for placed in part == 1 ? moved : inserted {
          encoder.encode(unsigned: UInt64(placed.index))
          (placed.value ?? placed.id).encode(to: &encoder)
        }
      }
    }
  }
}
