import IssueReporting

/// A value that several features share, and with a key what is behind it too: a file, settings.
///
/// ```swift
/// @ObservableState
/// struct State: Equatable {
///   @Shared(.appStorage("isOn")) var isOn = false
///   @Shared var draft: Draft
///   …
/// }
/// …
/// state.$isOn.withLock { $0.toggle() }
/// state.editor = Editor.State(title: state.$draft.title)
/// ```
///
/// A state holds what the value was after its last action, so it is a value like any other: it can
/// be compared, kept, and sent to other processes. After each action the root store puts the newest
/// values into its state, wherever they are in it. In a step a reducer sees all shared values as
/// they were when the step began, and its own changes.
///
/// What changes them from outside, an effect, a model, another store, shows as a change of the
/// state without an action, in the main actor's next turn or with the next action. `$isOn`, and a
/// property outside of a state, always have the newest value.
@propertyWrapper
@dynamicMemberLookup
public struct Shared<Value> {
  var content: SharedContent<Value>

  init(_ content: SharedContent<Value>) { self.content = content }

  /// Shares a value among those who get this, or its projection, from here.
  public init(value: sending Value) {
    content = SharedContent(SharedCell(value))
  }

  /// A shared value that is there; nil where it is absent.
  ///
  /// It keeps its last value when it becomes absent, and changes of it do nothing then.
  public init?(_ base: Shared<Value?>) {
    guard let content = SharedContent.presence(of: base.content) else { return nil }
    self.content = content
  }

  /// Shares what another one shares.
  public init(projectedValue: Self) { self = projectedValue }

  /// The value; to change it, use `$value.withLock`.
  public var wrappedValue: Value {
    get { content.value }
    @available(
      *,
      unavailable,
      message: "Use '$shared.withLock { $0 = … }': others may change the value meanwhile."
    )
    nonmutating set { withLock { $0 = newValue } }
  }

  /// The shared value itself, to pass it on, to change it, or to share a part of it.
  public var projectedValue: Self {
    get { Self(content.live) }
    set { content = newValue.content }
  }

  /// Changes the value, while nobody else does.
  ///
  /// From any thread. Whoever shares the value sees the change when this returns; states of stores
  /// see it after the action that made it, or in a change of their own.
  ///
  /// A copy of what another process shares cannot be changed: it is reported, and nothing happens.
  /// Nor should the operation change the value that it is changing by another way than its
  /// argument: what that sets does not stay, which is reported.
  ///
  /// - `operation`: Changes the value; what it changed before an error stays changed. It should be
  ///   short, for all shared values wait.
  ///
  /// Returns what the operation returned.
  public func withLock<R>(
    _ operation: (inout Value) throws -> R,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) rethrows -> R {
    if let source = content.source {
      if SharedLock.isHeld, source.isBeingChanged {
        reportNestedChange(fileID: fileID, filePath: filePath, line: line, column: column)
      }
      return try source.change(operation)
    }
    reportIssue(
      """
      A value of type "\(Value.self)" is a copy of what another process shares, and cannot be \
      changed here.

      To fix, send an action whose reducer changes it where it is shared.
      """,
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
    var copy = content.value
    return try operation(&copy)
  }

  private func reportNestedChange(
    fileID: StaticString,
    filePath: StaticString,
    line: UInt,
    column: UInt,
  ) {
    reportIssue(
      """
      A shared value of type "\(Value.self)", or what it is a part of, is changed while another \
      "withLock" changes it: what is set here is lost when that ends.

      To fix, change the argument of the outer closure, or begin this change behind it.
      """,
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }

  /// The value of the state that this, or what it is the projection of, is in.
  package var valueInState: Value { content.valueInState }

  /// Whether the states that both are in show one value in the same memory.
  package func showsSameInState(as other: Self) -> Bool {
    content.showsSameInState(as: other.content)
  }

  /// What a closure makes of the value, to be read.
  ///
  /// - Parameter body: Makes something of the value, whenever that is read.
  /// - Returns: A reader of it.
  public func read<Member>(
    _ body: @escaping @Sendable (Value) -> Member
  ) -> SharedReader<Member> {
    SharedReader(self).read(body)
  }

  /// A part of the value, shared.
  public subscript<Member>(
    dynamicMember keyPath: WritableKeyPath<Value, Member>
  ) -> Shared<Member> {
    Shared<Member>(content.part(keyPath))
  }

  /// A part of the value that cannot be changed, shared.
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> SharedReader<Member> {
    SharedReader<Member>(content.part(keyPath))
  }
}

// Sound where values are: what is shared is touched under the shared lock only.
extension Shared: @unchecked Sendable where Value: Sendable {}

extension RangeReplaceableCollection {
  /// The rows of a shared list, each shared.
  ///
  /// ```swift
  /// for row in Array($rows) { row.withLock { $0.isDone = true } }
  /// ```
  public init<ID, Row>(_ shared: Shared<IdentifiedArray<ID, Row>>) where Element == Shared<Row> {
    self.init()
    let rows = shared.wrappedValue
    reserveCapacity(rows.count)
    for id in rows.ids {
      if let row = Shared(shared[id: id]) { append(row) }
    }
  }

  /// The rows of a shared list that cannot be changed, each shared.
  public init<ID, Row>(
    _ shared: SharedReader<IdentifiedArray<ID, Row>>
  ) where Element == SharedReader<Row> {
    self.init()
    let rows = shared.wrappedValue
    reserveCapacity(rows.count)
    for id in rows.ids {
      if let row = SharedReader(shared[id: id]) { append(row) }
    }
  }
}
