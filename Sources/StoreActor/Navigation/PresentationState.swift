/// The state of a child feature that is presented while it is there: a sheet, an alert, a screen.
///
/// ```swift
/// struct State {
///   @PresentationState var destination: Destination.State?
/// }
/// ```
///
/// The property is an optional like any other; its projection, `$destination`, is what
/// `.ifLet(\.$destination, action: \.destination)` takes. In a state that is marked
/// `@ObservableState` it is written `@Presents`, which stands beside that macro.
///
/// The state is kept behind a reference and copied when it is written to: a parent's value stays
/// small however large its child's is, absent children cost nothing, and two copies of which
/// neither was written to are found equal without comparing what is in them.
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

  // Nil while the child is absent. What others have a reference to is never written to.
  @usableFromInline var box: Box?

  /// Creates the state of a child that is there, or of one that is absent.
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

  /// The presentation itself, as operators and stores want it.
  @inlinable
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
    _modify { yield &self }
  }

  /// The presentation of one case of the child's state, an enum: `\.$destination.edit`.
  ///
  /// Making it absent makes the child absent; it does nothing when the child is of another case.
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

  /// A box that nobody else has, with the state in it.
  @inlinable
  mutating func takeBox() -> Box {
    if isKnownUniquelyReferenced(&box), let box { return box }
    return Box(box?.value)
  }
}

extension PresentationState where State: CasePathable {
  /// The value of one case of the child's state, an enum; nil when that is of another case.
  ///
  /// ```swift
  /// state.$destination[case: \.edit]?.title = "Milk"
  /// ```
  ///
  /// Changing another case than the one that is there is a mistake: it is reported, and nothing
  /// changes. Setting nil makes the child absent.
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
