public import StoreActor

extension PresentationState {
  /// The value of one case of the child's state, an enum; nil if the state is of another case.
  ///
  /// Setting the value of another case is a mistake, which is reported and has no effect. Setting
  /// nil makes the child absent.
  public subscript<Member>(
    case path: AnyCasePath<State, Member>,
    fileID fileID: StaticString = #fileID,
    filePath filePath: StaticString = #filePath,
    line line: UInt = #line,
    column column: UInt = #column,
  ) -> Member? {
    get { wrappedValue.flatMap { path.extract(from: $0) } }
    set {
      guard self[case: path] != nil else {
        return reportUnrelatedCase(
          Member.self,
          of: wrappedValue,
          at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
        )
      }
      wrappedValue = newValue.map { path.embed($0) }
    }
  }
}

extension StackState {
  /// The value of one case of the element with an id; nil if the element is absent or of
  /// another case.
  ///
  /// Setting the value of another case is a mistake, which is reported and has no effect. Setting
  /// nil removes the element.
  public subscript<Member>(
    id id: StackElementID,
    case path: AnyCasePath<Element, Member>,
    fileID fileID: StaticString = #fileID,
    filePath filePath: StaticString = #filePath,
    line line: UInt = #line,
    column column: UInt = #column,
  ) -> Member? {
    get { self[id: id].flatMap { path.extract(from: $0) } }
    set {
      guard self[id: id, case: path] != nil else {
        return reportUnrelatedCase(
          Member.self,
          of: self[id: id],
          at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
        )
      }
      self[id: id] = newValue.map { path.embed($0) }
    }
  }
}

extension TestStore {
  /// Asserts that an effect sends an action of a case, with any value, and asserts its changes:
  /// `await store.receive(/Action.response)`.
  ///
  /// - `actionCase`: The case.
  /// - `duration`: The time limit, in real time; ``timeout`` if nil.
  /// - `updateStateToExpectedResult`: Changes the previous state
  ///   into the expected one.
  @_disfavoredOverload
  public func receive<Value>(
    _ actionCase: AnyCasePath<Action, Value>,
    timeout duration: Duration? = nil,
    assert updateStateToExpectedResult: ((_ state: inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    await receive(
      { actionCase.extract(from: $0) != nil },
      timeout: duration,
      assert: updateStateToExpectedResult,
      fileID: fileID,
      filePath: filePath,
      line: line,
      column: column,
    )
  }
}
