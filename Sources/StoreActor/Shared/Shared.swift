import IssueReporting

/// A value that several features share, and that a key can persist in a file or in settings.
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
/// A state holds the value as of its last action. So the state is an ordinary value: it can be
/// compared, stored, and sent to other processes. After each action the root store writes the
/// newest values into its state, at any depth. In a step, a reducer sees all shared values as of
/// the step's begin, plus its own changes.
///
/// A change from outside (by an effect, a model or another store) appears as a change of the state
/// without an action, in the main actor's next turn or with the next action. `$isOn`, and a
/// property outside of a state, always have the newest value.
@propertyWrapper
@dynamicMemberLookup
public struct Shared<Value> {
  var content: SharedContent<Value>

  init(_ content: SharedContent<Value>) { self.content = content }

  /// Creates a shared value for all holders of this wrapper or its projection.
  public init(value: sending Value) {
    content = SharedContent(SharedCell(value))
  }

  /// Creates a shared value that is present; nil if it is absent.
  ///
  /// When it becomes absent, it keeps its last value, and changes have no effect.
  public init?(_ base: Shared<Value?>) {
    guard let content = SharedContent.presence(of: base.content) else { return nil }
    self.content = content
  }

  /// Shares the value of another wrapper.
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

  /// Changes the value exclusively.
  ///
  /// It may be called from any thread. All holders see the change when this returns. States of
  /// stores see it after the action that made it, or in a change of their own.
  ///
  /// A copy of another process's shared value cannot be changed: the call reports an issue and has
  /// no effect. Nor should the operation change the same value other than through its argument:
  /// such a change is lost, which is reported.
  ///
  /// - `operation`: Changes the value; changes before an error are kept. It should be short,
  ///   because all shared values wait.
  ///
  /// Returns the operation's result.
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

  /// The value in the state that contains this, or the origin of this projection.
  package var valueInState: Value { content.valueInState }

  /// Whether the states that contain both show one value in the same memory.
  package func showsSameInState(as other: Self) -> Bool {
    content.showsSameInState(as: other.content)
  }

  /// Returns a reader of a closure's result.
  ///
  /// - Parameter body: Computes the result from the value, at each read.
  /// - Returns: The reader.
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

  /// A read-only part of the value, shared.
  public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> SharedReader<Member> {
    SharedReader<Member>(content.part(keyPath))
  }
}

// Sound if values are: shared data is accessed under the shared lock only.
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

  /// The rows of a read-only shared list, each shared.
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
