extension Optional {
  /// Changes the wrapped value in place, without a second reference, which would make collections
  /// in it copy themselves.
  ///
  /// - Returns: Whether there was a value.
  @inlinable
  @discardableResult
  mutating func modifyIfPresent(_ body: (inout Wrapped) -> Void) -> Bool {
    guard var wrapped = take() else { return false }
    body(&wrapped)
    self = .some(wrapped)
    return true
  }
}
