/// The names of a choice's cases, and which of them have a payload.
package struct CaseNames: Sendable {
  package let names: [String]
  let encodedNames: [[UInt8]]
  let hasPayload: [Bool]

  package init(_ cases: [(name: String, hasPayload: Bool)], of owner: String) {
    names = cases.map(\.name)
    encodedNames = names.map { $0.encoded() }
    hasPayload = cases.map(\.hasPayload)
    precondition(
      Set(names).count == names.count,
      "\(owner) has a case twice among its \(names.count): \(names.joined(separator: ", "))",
    )
  }
}

extension CBORDecoder {
  /// Reads a choice up to its payload and returns the index of the case.
  ///
  /// `what` is the term for a case in an error message.
  package mutating func caseIndex(_ cases: CaseNames, what: String) throws(CodecError) -> Int {
    let hasPayload = try beginChoice(what)
    let start = offset
    for (index, name) in cases.encodedNames.enumerated() where try readIfPresent(name) {
      // The name may be a map's key; cases are not tried in the order of their names.
      forgetOrder()
      guard cases.hasPayload[index] == hasPayload else {
        throw payloadError(cases.names[index], what, isMissing: !hasPayload, offset: start)
      }
      return index
    }
    throw try unknownCase(what, among: cases.names)
  }

  /// Reads whether a choice's case has a payload; the case's name is the next item.
  mutating func beginChoice(_ what: String) throws(CodecError) -> Bool {
    let hasPayload = try peekKind() == .map
    if hasPayload { try expectMapOfOne(what) }
    return hasPayload
  }

  /// The error for an unknown case.
  mutating func unknownCase(
    _ what: String,
    among names: [String],
  ) throws(CodecError) -> CodecError {
    let start = offset
    guard try peekKind() == .text else {
      return error(.typeMismatch, "expected the name of a \(what), found \(foundText())")
    }
    return .unknownName(try text(), what, among: names, offset: start)
  }

  private mutating func expectMapOfOne(_ what: String) throws(CodecError) {
    let start = offset
    let count = try mapHeader()
    guard count == 1 else {
      throw CodecError(
        .typeMismatch,
        "expected a map with the name of one \(what), found a map of \(count)",
        offset: start,
      )
    }
  }

  func payloadError(
    _ name: String,
    _ what: String,
    isMissing: Bool,
    offset: Int,
  ) -> CodecError {
    CodecError(
      .typeMismatch,
      isMissing
        ? "the \(what) \"\(name)\" has a payload; write a map from its name to the payload"
        : "the \(what) \"\(name)\" has no payload; write its name alone",
      offset: offset,
    )
  }
}

/// The case's name in Swift, for a message about a value that no layout lists.
func caseName<Value>(of value: Value) -> String {
  if let label = Mirror(reflecting: value).children.first?.label { return label }
  return "\(value)"
}
