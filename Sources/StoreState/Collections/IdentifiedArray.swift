import OrderedCollections

/// An ordered collection of elements that are found by their id in constant time.
///
/// No id occurs twice. An element keeps its id for as long as it is in the array: changing it in
/// place is a programmer's mistake and traps.
///
/// ```swift
/// var todos: IdentifiedArrayOf<Todo> = [Todo(id: 1, title: "Milk")]
/// todos[id: 1]?.isCompleted = true
/// ```
public struct IdentifiedArray<ID: Hashable, Element> {
  /// Where an element has its id.
  public let id: any KeyPath<Element, ID> & Sendable

  var storage: OrderedDictionary<ID, Element>

  init(id: any KeyPath<Element, ID> & Sendable, storage: OrderedDictionary<ID, Element>) {
    self.id = id
    self.storage = storage
  }

  /// Makes an empty array whose elements have their id at a key path.
  public init(id: any KeyPath<Element, ID> & Sendable) {
    self.init(id: id, storage: [:])
  }

  /// Makes an array of elements that are known to have different ids.
  ///
  /// An id that occurs twice traps. For elements that come from outside use
  /// ``init(_:id:uniquingIDsWith:)``.
  public init(
    uniqueElements elements: some Sequence<Element>,
    id: any KeyPath<Element, ID> & Sendable,
  ) {
    self.init(id: id)
    storage.reserveCapacity(elements.underestimatedCount)
    for element in elements {
      let key = element[keyPath: id]
      let position = storage.count
      let previous = storage.updateValue(element, forKey: key)
      precondition(previous == nil, "Element \(position) has an id that occurred before: \(key)")
    }
  }

  /// Makes an array of elements that have different ids, without checking that in release builds.
  public init(
    uncheckedUniqueElements elements: some Sequence<Element>,
    id: any KeyPath<Element, ID> & Sendable,
  ) {
    let pairs = elements.lazy.map { ($0[keyPath: id], $0) }
    self.init(id: id, storage: OrderedDictionary(uncheckedUniqueKeysWithValues: pairs))
  }

  /// Makes an array of elements, and asks which one to keep when two have the same id.
  ///
  /// The one that is kept stands where the first one stood.
  public init<Failure: Error>(
    _ elements: some Sequence<Element>,
    id: any KeyPath<Element, ID> & Sendable,
    uniquingIDsWith combine: (Element, Element) throws(Failure) -> Element,
  ) throws(Failure) {
    self.init(id: id)
    for element in elements {
      let key = element[keyPath: id]
      if let previous = storage[key] {
        let kept = try combine(previous, element)
        checkIdentity(of: kept, is: key)
        storage[key] = kept
      } else {
        storage[key] = element
      }
    }
  }

  /// The element with an id; `nil` when there is none.
  ///
  /// Setting an element whose id is new appends it; setting `nil` removes.
  public subscript(id id: ID) -> Element? {
    get { storage[id] }
    _modify {
      defer { checkIdentity(at: id) }
      yield &storage[id]
    }
  }

  /// The element with an id, or a default, which a change puts at the end.
  public subscript(id id: ID, default defaultValue: @autoclosure () -> Element) -> Element {
    get { storage[id] ?? defaultValue() }
    _modify {
      defer { checkIdentity(at: id) }
      yield &storage[id, default: defaultValue()]
    }
  }

  /// Where the element with an id stands.
  public func index(id: ID) -> Int? {
    storage.index(forKey: id)
  }

  /// Whether an element with an id is in the array.
  public func contains(id: ID) -> Bool {
    storage.index(forKey: id) != nil
  }

  func checkIdentity(of element: Element, is key: ID) {
    precondition(
      element[keyPath: id] == key,
      "An element's id changed from \(key) to \(element[keyPath: id]); remove it, insert a new one",
    )
  }

  private func checkIdentity(at key: ID) {
    if let element = storage[key] { checkIdentity(of: element, is: key) }
  }
}

/// An identified array of elements that are `Identifiable`.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
  /// Makes an empty array.
  public init() {
    self.init(id: \Element.id)
  }

  /// Makes an array of elements that are known to have different ids; one that occurs twice traps.
  public init(uniqueElements elements: some Sequence<Element>) {
    self.init(uniqueElements: elements, id: \Element.id)
  }

  /// Makes an array of elements that have different ids, without checking that in release builds.
  public init(uncheckedUniqueElements elements: some Sequence<Element>) {
    self.init(uncheckedUniqueElements: elements, id: \Element.id)
  }

  /// Makes an array of elements, and asks which one to keep when two have the same id.
  public init<Failure: Error>(
    _ elements: some Sequence<Element>,
    uniquingIDsWith combine: (Element, Element) throws(Failure) -> Element,
  ) throws(Failure) {
    try self.init(elements, id: \Element.id, uniquingIDsWith: combine)
  }
}

extension IdentifiedArray: Sendable where ID: Sendable, Element: Sendable {}
