public import StoreActor

extension AnyCasePath {
  /// Changes the value of the case in a root.
  ///
  /// If `body` throws, its changes are discarded.
  ///
  /// - Parameters:
  ///   - root: The root.
  ///   - body: Changes the value.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error, or an error if the root is of another case.
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

/// The error of a change through a case path of another case.
private struct ExtractionFailed: Error, CustomStringConvertible {
  let root: String

  var description: String {
    "Can't modify \(root): it is of another case than the path's. Look at the case first."
  }
}
