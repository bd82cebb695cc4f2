/// The state of a child feature that is presented while it is present: a sheet, an alert, a screen.
///
/// ```swift
/// struct State {
///   @PresentationState var destination: Destination.State?
/// }
/// ```
///
/// The property is an ordinary optional. Its projection, `$destination`, is the argument of
/// `.ifLet(\.$destination, action: \.destination)`. In a state that is marked `@ObservableState` it
/// is written `@Presents`, which is compatible with that macro.
///
/// The state is stored behind a reference and copied on a write. A parent's value stays small at
/// any size of its child's. Absent children have no cost. Two copies without a write compare as
/// equal without a comparison of their contents.
@propertyWrapper
@dynamicMemberLookup
public struct PresentationState<State> {
  @usableFromInline
  final class Box {
    @usableFromInline var value: State?

    @usableFromInline
    init(_ value: State?) {
      self.value = value
    }
  }

  // Nil while the child is absent. A shared box is never written.
  @usableFromInline var box: Box?

  /// Creates the state of a present or absent child.
  @inlinable
  public init(wrappedValue: State?) {
    box = wrappedValue.map { Box($0) }
  }

  /// The child's state; nil while it is absent.
  @inlinable
  public var wrappedValue: State? {
    get { box?.value }
    set { box = newValue.map { Box($0) } }
    _modify {
      let box = takeBox()
      defer { self.box = box.value == nil ? nil : box }
      yield &box.value
    }
  }

  /// The presentation itself, for operators and stores.
  @inlinable
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
    _modify { yield &self }
  }

  /// The presentation of one case of the child's state, an enum: `\.$destination.edit`.
  ///
  /// Setting it to nil removes the child; it has no effect while the child has another case.
  public subscript<Member>(
    dynamicMember keyPath: CaseKeyPath<State, Member>
  ) -> PresentationState<Member> where State: CasePathable {
    get { PresentationState<Member>(wrappedValue: wrappedValue?[case: keyPath]) }
    set {
      let path = AnyCasePath(keyPath)
      guard let value = wrappedValue, path.extract(from: value) != nil else { return }
      wrappedValue = newValue.wrappedValue.map { path.embed($0) }
    }
  }

  /// Whether both have the same memory, and so the same state.
  @inlinable
  func sharesBox(with other: Self) -> Bool {
    box === other.box
  }

  /// A box with the state and a single reference.
  @inlinable
  mutating func takeBox() -> Box {
    if isKnownUniquelyReferenced(&box), let box { return box }
    return Box(box?.value)
  }
}

extension PresentationState where State: CasePathable {
  /// The value of one case of the child's state, an enum; nil if the state has another case.
  ///
  /// ```swift
  /// state.$destination[case: \.edit]?.title = "Milk"
  /// ```
  ///
  /// Changing a case that is not present is a mistake: it is reported and has no effect. Setting
  /// nil removes the child.
  public subscript<Member>(
    case keyPath: CaseKeyPath<State, Member>,
    fileID fileID: _HashableStaticString = #fileID,
    filePath filePath: _HashableStaticString = #filePath,
    line line: UInt = #line,
    column column: UInt = #column,
  ) -> Member? {
    get { wrappedValue?[case: keyPath] }
    _modify {
      let path = AnyCasePath(keyPath)
      var member = wrappedValue.flatMap { path.extract(from: $0) }
      let isPresent = member != nil
      yield &member
      if isPresent {
        wrappedValue = member.map { path.embed($0) }
      } else {
        let location = IssueLocation(
          fileID: fileID.rawValue,
          filePath: filePath.rawValue,
          line: line,
          column: column,
        )
        reportUnrelatedCase(Member.self, of: wrappedValue, at: location)
      }
    }
  }
}
