import IssueReporting
public import StoreState

/// The states of the features on a navigation stack, each with an id of its own.
///
/// ```swift
/// struct State {
///   var path = StackState<Path.State>()
///   …
/// }
/// …
/// state.path.append(.detail(Detail.State()))
/// state.path[id: id, case: \.detail]?.title = "Milk"
/// state.path.pop(from: id)
/// ```
///
/// It is a collection of the states. An element keeps its id for as long as it is on the stack, and
/// the id is never reused.
public struct StackState<Element> {
  typealias Row = Identified<StackElementID, Element>

  /// The ids of a stack's elements, the first one pushed first.
  public typealias IDs = IdentifiedArray<StackElementID, Identified<StackElementID, Element>>.IDs

  var rows: IdentifiedArray<StackElementID, Row> = []

  /// The least id that no element has had.
  @usableFromInline var counter: StackElementID = 0

  /// Distinguishes a changed stack from a replaced one.
  @usableFromInline var lineage = StackLineage()

  /// Creates an empty stack.
  public init() {}

  /// The ids of the elements, in their order.
  public var ids: IDs { rows.ids }

  /// The id of the next element, which a `push` action must name.
  ///
  /// Constant time, but linear for a stack from another process with other rules for ids.
  public var nextID: StackElementID {
    guard rows.contains(id: counter) else { return counter }
    return rows.ids.max { $0.generation < $1.generation }?.next ?? counter
  }

  /// The element with an id; nil if it is absent.
  ///
  /// Setting nil removes only this element. In the assertion of a test, an assignment to an absent
  /// id appends the element. Elsewhere that is a mistake, which is reported: append the element,
  /// and it gets an id.
  public subscript(
    id id: StackElementID,
    fileID fileID: _HashableStaticString = #fileID,
    filePath filePath: _HashableStaticString = #filePath,
    line line: UInt = #line,
    column column: UInt = #column,
  ) -> Element? {
    get { rows[id: id]?.value }
    _modify {
      let wasPresent = rows.contains(id: id)
      yield &rows[id: id][valueOf: id]
      if !wasPresent, rows.contains(id: id) {
        noteNewElement(
          id,
          at: IssueLocation(
            fileID: fileID.rawValue,
            filePath: filePath.rawValue,
            line: line,
            column: column,
          ),
        )
      }
    }
  }

  /// Removes an element and all that were pushed after it; has no effect if it is absent.
  public mutating func pop(from id: StackElementID) {
    guard let index = rows.index(id: id) else { return }
    rows.removeSubrange(index..<rows.count)
  }

  /// Removes all elements that were pushed after one; has no effect if it is absent.
  public mutating func pop(to id: StackElementID) {
    guard let index = rows.index(id: id) else { return }
    rows.removeSubrange((index + 1)..<rows.count)
  }

  /// Appends an element with a new id.
  mutating func push(_ element: Element, id: StackElementID) {
    rows.append(Row(element, id: id))
    reserve(id)
  }

  /// Prevents an id from being assigned to another element.
  private mutating func reserve(_ id: StackElementID) {
    if id.generation >= counter.generation { counter = id.next }
  }

  /// Checks an element that was just assigned to an absent id.
  mutating func noteNewElement(
    _ id: StackElementID,
    isTesting: Bool = IssueReporting.isTesting,
    at location: IssueLocation,
  ) {
    guard !isTesting else { return reserve(id) }
    rows.remove(id: id)
    reportMissingElement(id, at: location)
  }
}

extension StackState where Element: CasePathable {
  /// The value of one case of the element with an id; nil if the element is absent or has
  /// another case.
  ///
  /// Changing a case that is not present is a mistake: it is reported and has no effect. Setting
  /// nil removes the element.
  public subscript<Member>(
    id id: StackElementID,
    case keyPath: CaseKeyPath<Element, Member>,
    fileID fileID: _HashableStaticString = #fileID,
    filePath filePath: _HashableStaticString = #filePath,
    line line: UInt = #line,
    column column: UInt = #column,
  ) -> Member? {
    get { rows[id: id]?.value[case: keyPath] }
    _modify {
      let path = AnyCasePath(keyPath)
      var member = rows[id: id].flatMap { path.extract(from: $0.value) }
      let isPresent = member != nil
      yield &member
      if isPresent {
        rows[id: id] = member.map { Row(path.embed($0), id: id) }
      } else {
        let location = IssueLocation(
          fileID: fileID.rawValue,
          filePath: filePath.rawValue,
          line: line,
          column: column,
        )
        reportUnrelatedCase(Member.self, of: rows[id: id]?.value, at: location)
      }
    }
  }
}

extension StackState: RandomAccessCollection, RangeReplaceableCollection {
  /// The position of the first element.
  public var startIndex: Int { 0 }

  /// The position after the last element.
  public var endIndex: Int { rows.count }

  /// The element at a position.
  public subscript(position: Int) -> Element { rows[position].value }

  /// Replaces elements; the new ones get new ids.
  public mutating func replaceSubrange(
    _ subrange: Range<Int>,
    with newElements: some Collection<Element>,
  ) {
    rows.removeSubrange(subrange)
    for (position, element) in zip(subrange.lowerBound..., newElements) {
      let id = nextID
      let (isInserted, _) = rows.insert(Row(element, id: id), at: position)
      precondition(isInserted, "A stack has no id left: \(rows.count) elements, the next is \(id)")
      counter = id.next
    }
  }

  /// Removes all elements; their ids are not reused.
  public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
    rows.removeAll(keepingCapacity: keepCapacity)
  }
}

extension StackState: Sendable where Element: Sendable {}

extension StackState: ExpressibleByArrayLiteral {
  /// Creates a stack of elements, the first one pushed first.
  public init(arrayLiteral elements: Element...) {
    self.init(elements)
  }
}

/// The identity that a stack and all its changed versions share.
@usableFromInline
final class StackLineage: Sendable {}

extension Optional {
  /// The value within an identified one, changed in place.
  fileprivate subscript<ID, Value>(valueOf id: ID) -> Value?
  where Wrapped == Identified<ID, Value> {
    get { self?.value }
    _modify {
      var value = take()?.value
      defer { self = value.map { Identified($0, id: id) } }
      yield &value
    }
  }
}
