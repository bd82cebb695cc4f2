import StoreState

/// Applies the delta of an identified array to generic elements, one step after the other as the
/// protocol's text has them.
struct IdentifiedRows {
  private(set) var elements: [GenericValue]
  private let field: String
  private let id: Schema
  private let element: Schema
  private let applier: DeltaApplier
  /// Where the elements are, for who applies many deltas; nil for one.
  private(set) var places: RowPlaces?

  /// The elements that the delta places: moved ones and new ones, with their final places.
  private var placed: [(index: Int, element: GenericValue)] = []

  init(
    _ elements: [GenericValue],
    field: String,
    id: Schema,
    element: Schema,
    applier: DeltaApplier,
    places: RowPlaces? = nil,
  ) {
    self.elements = elements
    self.field = field
    self.id = id
    self.element = element
    self.applier = applier
    self.places = places
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

  private mutating func remove(_ decoder: inout CBORDecoder) throws(CodecError) {
    var removed: Set<GenericValue> = []
    for _ in 0..<(try decoder.arrayHeader()) {
      let key = try applier.read(&decoder, id)
      guard removed.insert(key).inserted else { throw repeated(key, decoder) }
    }
    try take(removed, decoder)
  }

  private mutating func takeOut(_ decoder: inout CBORDecoder) throws(CodecError) {
    var indices: [GenericValue: Int] = [:]
    for _ in 0..<(try decoder.pairs("a moved element's place and id")) {
      let index = try decoder.place(below: .max, "the place")
      let key = try applier.read(&decoder, id)
      guard indices.updateValue(index, forKey: key) == nil else { throw repeated(key, decoder) }
    }
    let moved = try take(Set(indices.keys), decoder)
    for element in moved {
      if let key = element[field: field], let index = indices[key] {
        placed.append((index, element))
      }
    }
  }

  private mutating func readInsertions(_ decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.pairs("an inserted element's place and value")) {
      let index = try decoder.place(below: .max, "the place")
      placed.append((index, try applier.read(&decoder, element, at: .index(index))))
    }
  }

  /// Removes the elements with some ids, all of which must be there, and returns them.
  @discardableResult
  private mutating func take(
    _ keys: Set<GenericValue>,
    _ decoder: CBORDecoder,
  ) throws(CodecError) -> [GenericValue] {
    guard !keys.isEmpty else { return [] }
    let isTaken = { [field] (element: GenericValue) in
      element[field: field].map(keys.contains) ?? false
    }
    let taken = elements.filter(isTaken)
    elements.removeAll(where: isTaken)
    guard taken.count == keys.count else {
      let found = Set(taken.compactMap { $0[field: field] })
      throw absent(keys.first { !found.contains($0) } ?? .null, decoder)
    }
    places?.shift(by: taken.count)
    return taken
  }

  private mutating func place(_ decoder: CBORDecoder) throws(CodecError) {
    guard !placed.isEmpty else { return }
    try checkPlacedIDs(decoder)
    var rest = elements[...]
    var result: [GenericValue] = []
    for (index, element) in placed.sorted(by: { $0.index < $1.index }) {
      let missing = index - result.count
      guard missing >= 0, missing <= rest.count else {
        throw decoder.error(
          .deltaMismatch,
          missing < 0 ? "two elements go to place \(index)" : "there is no place \(index)",
        )
      }
      result += rest.prefix(missing)
      rest = rest.dropFirst(missing)
      if let key = element[field: field] { places?.put(key, at: result.count) }
      result.append(element)
    }
    places?.shift(by: placed.count)
    elements = result + rest
    placed = []
  }

  /// Checks that what is placed has ids that differ from one another's and from those that stay.
  private func checkPlacedIDs(_ decoder: CBORDecoder) throws(CodecError) {
    var keys: Set<GenericValue> = []
    for (_, element) in placed {
      guard let key = element[field: field] else { continue }
      guard keys.insert(key).inserted else { throw present(key, decoder) }
    }
    // Mostly one element comes, and comparing with its key is much quicker than hashing all others.
    let only = keys.count == 1 ? keys.first : nil
    for element in elements {
      guard let key = element[field: field] else { continue }
      if only.map({ $0 == key }) ?? keys.contains(key) { throw present(key, decoder) }
    }
  }

  private func present(_ key: GenericValue, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(.deltaMismatch, "an element with this id is there already").inside(step(key))
  }

  private mutating func change(_ decoder: inout CBORDecoder) throws(CodecError) {
    let count = try decoder.pairs("a changed element's id and delta")
    // For one element of one delta all are looked through at most once.
    if count > 1, places == nil { places = RowPlaces() }
    for _ in 0..<count {
      let key = try applier.read(&decoder, id)
      guard let place = place(of: key) else { throw absent(key, decoder) }
      let (applier, id) = (applier, id)
      try applier.apply(
        &decoder,
        to: &elements[place],
        element,
        at: key.pathElement(id, in: applier.document),
      )
      guard elements[place][field: field] == key else {
        throw decoder.error(.deltaMismatch, "the delta changes the id").inside(step(key))
      }
    }
  }

  private mutating func place(of key: GenericValue) -> Int? {
    guard var places else { return elements.firstIndex { $0[field: field] == key } }
    // Taken out, so that it is changed in place.
    self.places = nil
    defer { self.places = places }
    return places.place(of: key, in: elements, by: field)
  }

  private func step(_ key: GenericValue) -> CodecError.PathElement {
    key.pathElement(id, in: applier.document)
  }

  private func repeated(_ key: GenericValue, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(.deltaMismatch, "the id stands in one list twice").inside(step(key))
  }

  private func absent(_ key: GenericValue, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(.deltaMismatch, "no element with this id is there").inside(step(key))
  }
}
