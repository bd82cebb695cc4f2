import StoreBytes
import StoreValues

/// Applies the delta of an identified array.
///
/// No delta traps: an unknown id, an index out of range and a duplicate id are errors.
struct IdentifiedEdit<Coding: RowCoding> {
  typealias ID = Coding.ID
  typealias Element = Coding.Row

  private(set) var tree: RowTree<ID, Element>
  private let coding: Coding

  /// The elements that the delta places, moved or new, with their final positions.
  private var placed: [(index: Int, element: Element)] = []

  /// If at most one in eight elements is removed or placed, this happens element by element;
  /// otherwise the array is rebuilt.
  private static var share: Int { 8 }

  init(tree: RowTree<ID, Element>, _ coding: Coding) {
    self.tree = tree
    self.coding = coding
  }

  mutating func apply(_ decoder: inout CBORDecoder) throws(CodecError) {
    var isPlaced = false
    for _ in 0..<(try decoder.mapHeader()) {
      switch try decoder.place(below: 4, "the change") {
      case 0: try remove(&decoder)
      case 1: try takeOut(&decoder)
      case 2: try readInsertions(&decoder)
      default:
        // Inner changes are last; all elements must be in place before.
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
    for _ in 0..<(try decoder.arrayHeader()) { keys.append(try coding.id(from: &decoder)) }
    try take(keys, decoder)
  }

  private mutating func takeOut(_ decoder: inout CBORDecoder) throws(CodecError) {
    var indices: [Int] = []
    var keys: [ID] = []
    for _ in 0..<(try decoder.pairs("a moved element's place and id")) {
      indices.append(try decoder.place(below: .max, "the place"))
      keys.append(try coding.id(from: &decoder))
    }
    let elements = try take(keys, decoder)
    for (index, element) in zip(indices, elements) { placed.append((index, element)) }
  }

  /// Removes the elements with some ids and returns them in the order of the ids.
  @discardableResult
  private mutating func take(_ keys: [ID], _ decoder: CBORDecoder) throws(CodecError) -> [Element] {
    var elements: [Element] = []
    var positions: Set<Int> = []
    for key in keys {
      let location = try find(key, decoder)
      elements.append(location.row.pointee)
      guard positions.insert(location.position).inserted else {
        throw decoder.error(.deltaMismatch, "the id stands in one list twice")
          .inside(coding.step(to: key))
      }
    }
    tree.remove(at: positions.sorted())
    return elements
  }

  /// Finds the element with an id; ids match by their encoding, not by `==`.
  private func find(
    _ key: ID,
    _ decoder: CBORDecoder,
  ) throws(CodecError) -> RowTree<ID, Element>.RowLocation {
    guard let location = tree.location(of: key), hasID(location.row, key) else {
      throw decoder.error(.deltaMismatch, "no element with this id is there")
        .inside(coding.step(to: key))
    }
    return location
  }

  private func hasID(_ row: UnsafePointer<Element>, _ key: ID) -> Bool {
    coding.areSame(tree.identity.read(row.pointee), key)
  }

  // MARK: - Coming

  private mutating func readInsertions(_ decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.pairs("an inserted element's place and value")) {
      let index = try decoder.place(below: .max, "the place")
      do throws(CodecError) {
        placed.append((index, try coding.row(from: &decoder)))
      } catch {
        throw error.inside(.index(index))
      }
    }
  }

  private mutating func place(_ decoder: CBORDecoder) throws(CodecError) {
    guard !placed.isEmpty else { return }
    placed.sort { $0.index < $1.index }
    for (position, pair) in zip(placed, placed.dropFirst()) where position.index == pair.index {
      throw decoder.error(.deltaMismatch, "two elements go to place \(pair.index)")
    }
    if placed.count <= max(Self.share, tree.count / Self.share) {
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
    guard index <= tree.count else { throw outside(index, decoder) }
    let id = tree.identity.read(element)
    guard tree.location(of: id) == nil else { throw present(id, decoder) }
    tree.insert(element, at: index)
  }

  private mutating func rebuild(_ decoder: CBORDecoder) throws(CodecError) {
    let count = tree.count + placed.count
    var builder = RowTreeBuilder(identity: tree.identity, reserving: count)
    var rest = tree.makeIterator()
    var (next, left) = (0, tree.count)
    for (index, element) in placed {
      guard index - next <= left else { throw outside(index, decoder) }
      while next < index, let row = rest.advance() {
        builder.append(row.pointee)
        (next, left) = (next + 1, left - 1)
      }
      builder.append(element)
      next += 1
    }
    while let row = rest.advance() { builder.append(row.pointee) }
    tree = try builder.finish { (_, key) throws(CodecError) in throw present(key, decoder) }
  }

  private func outside(_ index: Int, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(.deltaMismatch, "there is no place \(index)")
  }

  private func present(_ key: ID, _ decoder: CBORDecoder) -> CodecError {
    decoder.error(.deltaMismatch, "an element with this id is there already")
      .inside(coding.step(to: key))
  }

  // MARK: - Changing inside

  private mutating func change(_ decoder: inout CBORDecoder) throws(CodecError) {
    for _ in 0..<(try decoder.pairs("a changed element's id and delta")) {
      let key = try coding.id(from: &decoder)
      let position = try find(key, decoder).position
      let row = tree.uniqueRow(at: position)
      do throws(CodecError) {
        try coding.change(&row.pointee, from: &decoder)
      } catch {
        throw error.inside(coding.step(to: key))
      }
      guard hasID(row, key) else {
        throw decoder.error(.deltaMismatch, "the delta changes the id").inside(coding.step(to: key))
      }
    }
  }
}
