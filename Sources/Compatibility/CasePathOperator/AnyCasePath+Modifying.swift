public import StoreActor

extension AnyCasePath {
  /// Changes the value of the case in a root.
  ///
  /// What was changed before `body` throws does not stay.
  ///
  /// - Parameters:
  ///   - root: The root.
  ///   - body: Changes the value.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, or an error where the root is of another case.
  public func modify<Result>(
    _ root: inout Root,
    _ body: (inout Value) throws -> Result,
  ) throws -> Result {
    guard var value = extract(from: root) else { throw ExtractionFailed(root: "\(root)") }
    let result = try body(&value)
    root = embed(value)
    return result
  }
}

/// The error of a case path that is asked to change a value of another case.
private struct ExtractionFailed: Error, CustomStringConvertible {
  let root: String

  var description: String {
    "Can't modify \(root): it is of another case than the path's. Look at the case first."
  }
}
