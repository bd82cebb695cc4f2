extension TestStore {
  /// Asserts that the feature has emitted an output, or emits it within a time.
  ///
  /// ```swift
  /// await store.send(.saveButtonTapped) { $0.isSaved = true }
  /// await store.receive(output: Editor.Output.saved)
  /// ```
  ///
  /// An output does not change the state, so there is no state to assert. Outputs must be received
  /// in the order of emission; their order relative to actions of effects is not checked.
  ///
  /// - `expectedOutput`: The output.
  /// - `duration`: The time limit, in real time; ``timeout`` if nil.
  public func receive<Output: Equatable & Sendable>(
    output expectedOutput: Output,
    timeout duration: Duration? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    await receive(
      .equal(to: expectedOutput),
      timeout: duration,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Asserts that the feature emits an output of a type that a closure accepts.
  ///
  /// ```swift
  /// await store.receive(outputOf: Editor.Output.self) { $0.is(\.saved) }
  /// ```
  ///
  /// - `type`: The type of the output.
  /// - `isMatching`: Whether an output matches; the default accepts any.
  /// - `duration`: The time limit, in real time; ``timeout`` if nil.
  public func receive<Output: Sendable>(
    outputOf type: Output.Type,
    timeout duration: Duration? = nil,
    where isMatching: @escaping (_ output: Output) -> Bool = { _ in true },
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    await receive(
      .of(type, isMatching),
      timeout: duration,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column),
    )
  }

  /// Skips all outputs that the feature has emitted, without asserting them.
  ///
  /// - `strict`: Whether their absence is a mistake.
  public func skipReceivedOutputs(
    strict: Bool = true,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    recorder.at(location)
    await Task.megaYield()
    let count = recorder.outputs.count
    if count == 0, strict { location.report("There were no received outputs to skip.") }
    skipOutputs(upTo: count, at: location)
    recorder.removeOutputs(upTo: count)
  }
}

extension TestStore {
  private func receive(
    _ matcher: OutputMatcher,
    timeout duration: Duration?,
    at location: IssueLocation,
  ) async {
    recorder.at(location)
    let duration = duration ?? timeout
    guard await wait(for: duration, until: { indexToReceive(matcher) != nil }),
      let index = indexToReceive(matcher)
    else { return reportNoOutput(matcher, after: duration, at: location) }
    let received = recorder.outputs[index].value
    if !matcher.matches(received) { location.report(matcher.unexpected(received)) }
    skipOutputs(upTo: index, at: location)
    recorder.removeOutputs(upTo: index + 1)
    checkSubject(at: location)
  }

  /// The index of the output to receive: the first in an exhaustive test, else the first match.
  private func indexToReceive(_ matcher: OutputMatcher) -> Int? {
    if exhaustivity == .on { return recorder.outputs.isEmpty ? nil : 0 }
    return recorder.outputs.firstIndex { matcher.matches($0.value) }
  }

  private func reportNoOutput(
    _ matcher: OutputMatcher,
    after duration: Duration,
    at location: IssueLocation,
  ) {
    let advice =
      if !subject.isObserved {
        """
        Of what a feature in another process puts out, only outputs of the type come here with \
        which its scope is exposed. To fix, expose it with "output:" and their type.
        """
      } else if recorder.runningActions.isEmpty {
        """
        There are no in-flight effects that could put it out. To fix, return "Effect.output" from \
        the reducer for the action that the test has sent.
        """
      } else {
        """
        There are effects in-flight. To fix, advance the test clock if the one that puts it out \
        waits for a clock, or use an immediate clock. If it needs more time, give "receive" a \
        longer "timeout".
        """
      }
    let reason = "didn't\(duration > .zero ? " after \(duration)" : "")"
    location.report("\(matcher.missing(reason))\n\n\(advice)")
  }

  private func skipOutputs(upTo index: Int, at location: IssueLocation) {
    guard index > 0, exhaustivity == .off(showSkippedAssertions: true) else { return }
    recorder.printSkipped(
      """
      \(index) output\(index == 1 ? " was" : "s were") skipped: …

      \(OutputMatcher.list(recorder.outputs.prefix(index).map(\.value)))
      """,
      at: location,
    )
  }

  /// Reports outputs that should have been received before the next action is sent.
  func dealWithUnreceivedOutputs(at location: IssueLocation) {
    let count = recorder.outputs.count
    guard count > 0 else { return }
    recorder.report(
      """
      Must handle \(count) received output\(count == 1 ? "" : "s") before sending an action: …

        Unhandled outputs:
      \(OutputMatcher.list(recorder.outputs.map(\.value)))

      To fix, receive the output\(count == 1 ? "" : "s") with "store.receive(output:)" first.
      """,
      at: location,
    )
    if exhaustivity != .on { recorder.removeOutputs(upTo: count) }
  }
}

// MARK: - Emitted outputs

extension TestRecorder {
  /// Records the outputs of a core from now on.
  @MainActor
  func observeOutputs(of core: any StoreCore<State, Action>) {
    outputSubscription = core.observeOutputs { [weak self] in self?.note(output: $0.value) }
  }

  /// Records an output of the feature.
  package func note(output: any Sendable) {
    outputs.append(ReceivedOutput(value: output, location: location))
  }

  func removeOutputs(upTo count: Int) {
    outputs.removeFirst(count)
  }

  /// Reports the outputs that the test has not received, when the test store is released.
  func reportUnhandledOutputs() {
    guard let first = outputs.first else { return }
    let message = """
      The feature put out \(outputs.count) unexpected \
      output\(outputs.count == 1 ? "" : "s") by the end of the test: …

        Unhandled outputs:
      \(OutputMatcher.list(outputs.map(\.value)))

      To fix, receive the outputs with "store.receive(output:)". If the test is not about them, \
      call "await store.skipReceivedOutputs()", or make the test store non-exhaustive: \
      "store.exhaustivity = .off".
      """
    report(message, at: first.location)
  }
}
