import CustomDump

/// The action that a test expects to receive, in any form of expectation.
struct ActionMatcher<Action> {
  /// The expected action, as a part of a sentence: "the following action".
  let subject: String
  /// The expected action, if the full value is known.
  var expected: Action?
  let matches: (Action) -> Bool

  /// An action that equals another one.
  static func equal(to expected: Action) -> Self where Action: Equatable {
    Self(subject: "the following action", expected: expected) { $0 == expected }
  }

  /// An action that a closure accepts.
  static func satisfying(_ isMatching: @escaping (Action) -> Bool) -> Self {
    Self(subject: "an action matching a predicate", matches: isMatching)
  }

  /// An action of a case.
  static func of<Value>(_ keyPath: CaseKeyPath<Action, Value>) -> Self {
    let path = AnyCasePath(keyPath)
    let matches = { path.extract(from: $0) != nil }
    if let value = () as? Value {
      return Self(subject: "the following action", expected: path.embed(value), matches: matches)
    }
    let name = caseName(of: keyPath) ?? "of a value of type \"\(Value.self)\""
    return Self(subject: "an action matching case path \(name)", matches: matches)
  }

  /// An action of a case with a value.
  static func of<Value: Equatable>(
    _ keyPath: CaseKeyPath<Action, Value>,
    _ value: Value,
  ) -> Self {
    let path = AnyCasePath(keyPath)
    return Self(subject: "the following action", expected: path.embed(value)) {
      path.extract(from: $0) == value
    }
  }

  /// The report of a missing action, with the reason: "didn't after 1.0 seconds".
  func missing(_ reason: String) -> String {
    let sentence = "Expected to receive \(subject), but \(reason)"
    guard let expected else { return "\(sentence)." }
    return "\(sentence): …\n\n\(String(customDumping: expected).indented(by: 4))"
  }

  /// The report of another action than the expected one.
  func unexpected(_ action: Action) -> String {
    guard let expected else {
      return """
        \(missing("didn't"))

        Received unexpected action: …

        \(String(customDumping: action).indented(by: 4))
        """
    }
    return """
      Received unexpected action: …

      \(difference(expected, action, labels: ("Expected", "Received")))
      """
  }
}
