extension TestStore {
  /// Asserts that the feature has put out, or puts out within a time, an output.
  ///
  /// ```swift
  /// await store.send(.saveButtonTapped) { $0.isSaved = true }
  /// await store.receive(output: Editor.Output.saved)
  /// ```
  ///
  /// An output changes nothing, so there is no state to assert. Outputs have to be received in the
  /// order in which they were made; between them and the actions that effects send there is none.
  ///
  /// - `expectedOutput`: The output.
  /// - `duration`: How long to wait for it, in real time; ``timeout`` when nil.
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

  /// Asserts that the feature puts out an output of a type that a closure accepts.
  ///
  /// ```swift
  /// await store.receive(outputOf: Editor.Output.self) { $0.is(\.saved) }
  /// ```
  ///
  /// - `type`: The type of the output.
  /// - `isMatching`: Whether an output is the one; any is when it is left out.
  /// - `duration`: How long to wait for it, in real time; ``timeout`` when nil.
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

  /// Deals with all outputs that the feature has made, without asserting them.
  ///
  /// - `strict`: Whether it is a mistake if there are none.
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

  /// The place of the output to receive: the first in an exhaustive test, else the first that fits.
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

// MARK: - What was put out

extension TestRecorder {
  /// Notes what a core puts out, from now on.
  @MainActor
  func observeOutputs(of core: any StoreCore<State, Action>) {
    outputSubscription = core.observeOutputs { [weak self] in self?.note(output: $0.value) }
  }

  /// Notes an output of the feature.
  package func note(output: any Sendable) {
    outputs.append(ReceivedOutput(value: output, location: location))
  }

  func removeOutputs(upTo count: Int) {
    outputs.removeFirst(count)
  }

  /// Reports the outputs that the test has not received, when the test store goes.
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
