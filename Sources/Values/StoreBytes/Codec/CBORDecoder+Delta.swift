extension CBORDecoder {
  /// The form of an optional's delta.
  package enum DeltaForm: Sendable {
    /// `[0, value]`: the whole value follows.
    case replaced
    /// `[1, delta]`: a delta follows.
    case changed
  }

  /// The form of a choice's delta.
  package enum ChoiceDeltaForm: Sendable {
    /// `[0, value]`: the whole value follows.
    case replaced
    /// `[1 + case, {label index: delta, …}]`: the changes inside of the payload follow.
    case changed(case: Int)
  }

  /// Reads the beginning of `[0, value]` or `[1, delta]`.
  package mutating func deltaForm() throws(CodecError) -> DeltaForm {
    try expectArray(of: 2, "a delta")
    let start = offset
    switch try unsigned() {
    case 0: return .replaced
    case 1: return .changed
    case let other:
      throw CodecError(
        .deltaMismatch,
        "expected 0 (replaced) or 1 (changed inside), found \(other)",
        offset: start,
      )
    }
  }

  /// Reads the beginning of `[0, value]` or `[1 + case, {…}]` for a choice of `cases` cases.
  package mutating func choiceDeltaForm(cases: Int) throws(CodecError) -> ChoiceDeltaForm {
    try expectArray(of: 2, "a delta")
    let start = offset
    let form = try unsigned()
    guard form > 0 else { return .replaced }
    guard form <= UInt64(cases) else {
      throw CodecError(
        .deltaMismatch,
        "expected 0 (replaced) or 1 to \(cases) (changed inside a case), found \(form)",
        offset: start,
      )
    }
    return .changed(case: Int(form) - 1)
  }

  /// Reads an index below `count`.
  package mutating func place(below count: Int, _ what: String) throws(CodecError) -> Int {
    let start = offset
    let value = try unsigned()
    guard value < UInt64(count) else {
      throw CodecError(
        .deltaMismatch,
        "\(what) \(value) is outside: there are \(count)",
        offset: start,
      )
    }
    return Int(value)
  }

  /// Reads an edit of a sequence, or an array of edits that apply in order.
  ///
  /// - Parameter body: Reads one edit; its argument is the number of items in the edit's array.
  /// - Throws: A `CodecError` if the next item is not an array, or the error of `body`.
  package mutating func edits(
    _ body: (inout CBORDecoder, Int) throws(CodecError) -> Void
  ) throws(CodecError) {
    let count = try arrayHeader()
    guard count > 0, try peekKind() == .array else { return try body(&self, count) }
    for _ in 0..<count {
      let items = try arrayHeader()
      try body(&self, items)
    }
  }

  /// Reads a map of changes, or an array of such maps that apply in order.
  ///
  /// - Parameter body: Reads one map.
  /// - Throws: A `CodecError` for an empty array, or the error of `body`.
  package mutating func steps(
    _ body: (inout CBORDecoder) throws(CodecError) -> Void
  ) throws(CodecError) {
    guard try peekKind() == .array else { return try body(&self) }
    let count = try arrayHeader()
    guard count > 0 else {
      throw error(.deltaMismatch, "expected changes one after the other, found none")
    }
    for _ in 0..<count { try body(&self) }
  }
}

extension CBORDecoder {
  /// Reads the header of an array of unwrapped pairs and returns the number of pairs.
  package mutating func pairs(_ what: String) throws(CodecError) -> Int {
    let count = try arrayHeader()
    guard count % 2 == 0 else {
      throw error(.deltaMismatch, "expected \(what) in turn, found \(count) items")
    }
    return count / 2
  }
}
