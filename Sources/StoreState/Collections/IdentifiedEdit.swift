import OrderedCollections

/// Applies the delta of an identified array.
///
/// Nothing in a delta traps: an id that is not there, a place outside and an id that would occur
/// twice are errors.
struct IdentifiedEdit<ID: WireValue & Hashable, Element: ReplicatedState & Identifiable>
where Element.ID == ID {
  private(set) var storage: OrderedDictionary<ID, Element>

  /// The elements that the delta places: moved ones and new ones, with their final places.
  private var placed: [(index: Int, element: Element)] = []

  /// Up to this many elements are removed or placed one by one, each of which moves those behind
  /// it; for more the array is built anew.
  private static var fewest: Int { 8 }

  init(storage: OrderedDictionary<ID, Element>) {
    self.storage = storage
  }

  mutating func apply(_ decoder: inout CBORDecoder) throws(CodecError) {
    var isPlaced = false
    for _ in 0..<(try decoder.mapHeader()) {
      switch try decoder.place(below: 4, "the change") {
      case 0: try remove(&decoder)
      case 1: try takeOut(&decoder)
      case 2: try readInsertions(&decoder)
      default:
        // The changes inside stand last; what is placed has to be there before.
        try place(decoder)
        try change(&decoder)
        isPlaced = true
      }
    }
    if !isPlaced { try place(decoder) }
  }

  // MARK: - Going and moving

  private mutating func remove(_ decoder: inout CBORDecoder) throws(CodecError) {
    var keys: [ID] = []
    for _ in 0..<(try decoder.arrayHeader()) { keys.append(try ID(from: &decoder)) }
    try take(keys, decoder)
  }

  private mutating func takeOut(_ decoder: inout CBORDecoder) throws(CodecError) {
    var indices: [Int] = []
    var keys: [ID] = []
    for _ in 0..<(try decoder.pairs("a moved element's place and id")) {
      indices.append(try decoder.place(below: .max, "the place"))
      keys.append(try ID(from: &decoder))
    }
    let elements = try take(keys, decoder)
    for (index, element) in zip(indices, elements) { placed.append((index, element)) }
  }

  /// Removes the elements with some ids and returns them in the order of the ids.
  @discardableResult
  private mutating func take(_ keys: [ID], _ decoder: CBORDecoder) throws(CodecError) -> [Element] {
    var elements: [Element] = []
    var taken: Set<ID> = []
    for key in keys {
      elements.append(storage.values[try find(key, decoder)])
      guard taken.insert(key).inserted else {
        throw decoder.error(.deltaMismatch, "the id stands in one list twice")
          .inside(.key("\(key)"))
      }
    }
    if keys.count <= Self.fewest {
      for key in keys { storage.removeValue(forKey: key) }
    } else {
      storage.removeAll { taken.contains($0.key) }
    }
    return elements
  }

  /// Where the element with an id is; an id is its encoding, not what `==` takes for equal.
  private func find(_ key: ID, _ decoder: CBORDecoder) throws(CodecError) -> Int {
    guard let index = storage.index(forKey: key), storage.values[index].id.isSame(as: key) else {
      throw decoder.error(.deltaMismatch, "no element with this id is there")
        .inside(.key("\(key)"))
    }
    return index
  }

  // MARK: - Coming

  private mutating func readInsertions(_ decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.pairs("an inserted element's place and value")) {
      let index = try decoder.place(below: .max, "the place")
      placed.append((index, try decoder.decode(Element.self, at: .index(index))))
    }
  }

  private mutating func place(_ decoder: CBORDecoder) throws(CodecError) {
    guard !placed.isEmpty else { return }
    placed.sort { $0.index < $1.index }
    for (position, pair) in zip(placed, placed.dropFirst()) where position.index == pair.index {
      throw decoder.error(.deltaMismatch, "two elements go to place \(pair.index)")
    }
    if placed.count <= Self.fewest {
      for (index, element) in placed { try insert(element, at: index, decoder) }
    } else {
      try rebuild(decoder)
    }
    placed = []
  }

  private mutating func insert(
    _ element: Element,
    at index: Int,
    _ decoder: CBORDecoder,
  ) throws(CodecError) {
    guard index <= storage.count else { throw outside(index, decoder) }
    guard storage.index(forKey: element.id) == nil else { throw present(element.id, decoder) }
    storage.updateValue(element, forKey: element.id, insertingAt: index)
  }

  private mutating func rebuild(_ decoder: CBORDecoder) throws(CodecError) {
    let rest = storage
    var next = 0
    storage = [:]
    storage.reserveCapacity(rest.count + placed.count)
    for (index, element) in placed {
      guard index - storage.count <= rest.count - next else { throw outside(index, decoder) }
      while storage.count < index {
        try append(rest.values[next], decoder)
        next += 1
      }
      try append(element, decoder)
    }
    while next < rest.count {
      try append(rest.values[next], decoder)
      next += 1
    }
  }

  private mutating func append(_ element: Element, _ decoder: CBORDecoder) throws(CodecError) {
    guard storage.updateValue(element, forKey: element.id) == nil else {
      throw present(element.id, decoder)
    }
  }

  private func outside(_ index: Int, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(.deltaMismatch, "there is no place \(index)")
  }

  private func present(_ key: ID, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(.deltaMismatch, "an element with this id is there already").inside(.key("\(key)"))
  }

  // MARK: - Changing inside

  private mutating func change(_ decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.pairs("a changed element's id and delta")) {
      let key = try ID(from: &decoder)
      let index = try find(key, decoder)
      do throws(CodecError) {
        try storage.values[index].applyDelta(from: &decoder)
      } catch {
        throw error.inside(.key("\(key)"))
      }
      guard storage.values[index].id.isSame(as: key) else {
        throw decoder.error(.deltaMismatch, "the delta changes the id").inside(.key("\(key)"))
      }
    }
  }
}
