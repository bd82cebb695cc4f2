import CustomDump

/// Which action a test expects to receive, however it said so.
struct ActionMatcher<Action> {
  let matches: (Action) -> Bool
  /// What is expected, on lines of its own: "the following action: …".
  let expectation: String
  /// How a received action differs, when that can be shown.
  let difference: (Action) -> String?

  init(
    expectation: String,
    difference: @escaping (Action) -> String? = { _ in nil },
    matches: @escaping (Action) -> Bool
  ) {
    self.expectation = expectation
    self.difference = difference
    self.matches = matches
  }

  /// An action that equals another one.
  static func equal(to expected: Action) -> Self where Action: Equatable {
    Self(
      expectation: "the following action",
      difference: { StoreActor.difference(expected, $0, labels: ("Expected", "Received")) },
      matches: { $0 == expected }
    )
    .showing(expected)
  }

  /// An action that a closure accepts.
  static func satisfying(_ isMatching: @escaping (Action) -> Bool) -> Self {
    Self(expectation: "an action matching a predicate", matches: isMatching)
  }

  /// An action of a case.
  static func of<Value>(_ keyPath: CaseKeyPath<Action, Value>) -> Self {
    let path = AnyCasePath(keyPath)
    return Self(expectation: "an action matching case path \(name(of: keyPath))") {
      path.extract(from: $0) != nil
    }
  }

  /// An action of a case with a value.
  static func of<Value: Equatable>(
    _ keyPath: CaseKeyPath<Action, Value>,
    _ value: Value
  ) -> Self {
    let path = AnyCasePath(keyPath)
    let expected = path.embed(value)
    return Self(
      expectation: "an action matching case path \(name(of: keyPath)) with this value",
      difference: { StoreActor.difference(expected, $0, labels: ("Expected", "Received")) },
      matches: { path.extract(from: $0) == value }
    )
    .showing(expected)
  }

  private func showing(_ expected: Action) -> Self {
    Self(
      expectation: "\(expectation): …\n\n\(String(customDumping: expected).indented(by: 4))\n\n",
      difference: difference,
      matches: matches
    )
  }

  /// A key path as it is written: `\.child.tapped`.
  private static func name(of keyPath: AnyKeyPath) -> String {
    let name = String(describing: keyPath)
    guard let dot = name.firstIndex(of: ".") else { return name }
    return "\\" + name[dot...]
  }
}
