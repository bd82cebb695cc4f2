extension CBORDecoder {
  /// How an optional or a choice comes to its new value.
  package enum DeltaForm: Sendable {
    /// `[0, value]`: the whole value follows.
    case replaced
    /// `[1, delta]`: a delta follows.
    case changed
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

  /// Reads a place in something that has `count` places.
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
}
