import IssueReporting

/// An enum whose cases can be reached by key paths.
///
/// A conformance has a type `AllCasePaths` with one ``AnyCasePath`` per case, named like the case:
///
/// ```swift
/// enum Action: CasePathable {
///   case tapped(Int)
///
///   struct AllCasePaths: Sendable {
///     var tapped: AnyCasePath<Action, Int> {
///       AnyCasePath(
///         embed: { .tapped($0) },
///         extract: { if case .tapped(let count) = $0 { count } else { nil } }
///       )
///     }
///   }
///   static var allCasePaths: AllCasePaths { AllCasePaths() }
/// }
/// ```
///
/// If the enum is also marked `@dynamicMemberLookup`, its cases are properties: `action.tapped` is
/// the case's value, or nil.
public protocol CasePathable {
  /// The type that has a case path for each case.
  associatedtype AllCasePaths

  /// The case paths of all cases.
  static var allCasePaths: AllCasePaths { get }

  /// The action of the child that this action belongs to: itself, unless a child is presented.
  associatedtype _ChildAction = Self

  /// The form in which the state of a child with such actions is stored.
  associatedtype _ChildForm = OptionalWithChildAction
}

extension CasePathable {
  /// The root of this enum's case key paths: `\User.Cases.home`.
  public typealias Cases = Case<Self>

  /// The value of a case, or nil if this is another case.
  ///
  /// Setting it replaces the value. It has no effect if this is another case, or if the new value
  /// is nil.
  public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
    get { Case(keyPath)._$path(from: Self.self).extract(from: self) }
    set { replace(Case(keyPath)._$path(from: Self.self), with: newValue) }
  }

  /// The value of a case of any type, or nil if this is another case.
  @_disfavoredOverload
  public subscript(case keyPath: PartialCaseKeyPath<Self>) -> Any? {
    (Cases()[keyPath: keyPath] as? any PartialCase)?._$extractAny(from: self)
  }

  /// The value of a case by dot access, or nil if this is another case.
  ///
  /// It cannot be set: `subscript(case:)` and `modify(_:yield:)` change a value.
  public subscript<Value>(
    dynamicMember keyPath: KeyPath<AllCasePaths, AnyCasePath<Self, Value>>
  ) -> Value? {
    get { Self.allCasePaths[keyPath: keyPath].extract(from: self) }
    // Otherwise `Scope(state: \.detail, …)` would use the optional as the child's state.
    @available(
      *,
      unavailable,
      message: "Write 'value = .detail(new)' in the place of 'value.detail = new'."
    )
    set { replace(Self.allCasePaths[keyPath: keyPath], with: newValue) }
  }

  /// Returns whether this is the case that a key path leads to.
  public func `is`(_ keyPath: PartialCaseKeyPath<Self>) -> Bool {
    self[case: keyPath] != nil
  }

  /// Changes the value of a case in place.
  ///
  /// If this is another case, the call is a programming error: it is reported and has no effect.
  /// Changes that were made before `yield` throws remain.
  public mutating func modify<Value>(
    _ keyPath: CaseKeyPath<Self, Value>,
    yield: (inout Value) throws -> Void,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) rethrows {
    let path = Case(keyPath)._$path(from: Self.self)
    guard var value = path.extract(from: self) else {
      reportIssue(
        """
        Can't modify the "\(Value.self)" in a case of "\(Self.self)": the value is of another \
        case, \(String(describing: self)).

        The change was ignored. To fix, look at the case first, or assign a whole new value.
        """,
        fileID: fileID,
        filePath: filePath,
        line: line,
        column: column,
      )
      return
    }
    defer { self = path.embed(value) }
    try yield(&value)
  }

  private mutating func replace<Value>(_ path: AnyCasePath<Self, Value>, with value: Value?) {
    guard let value, path.extract(from: self) != nil else { return }
    self = path.embed(value)
  }
}

/// The form of a child that is optional: `\.child`, and a case with the child's own action.
public enum OptionalWithChildAction {}
