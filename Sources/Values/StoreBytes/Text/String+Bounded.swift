extension String {
  /// The text, or the longest beginning that fits into `limit` bytes with an ellipsis.
  ///
  /// It is cut between Unicode scalars.
  package func bounded(toBytes limit: Int) -> String {
    guard utf8.count > limit else { return self }
    let ellipsis = "…"
    var end = utf8.index(startIndex, offsetBy: max(0, limit - ellipsis.utf8.count))
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
      end = utf8.index(before: end)
    }
    return self[..<end] + ellipsis
  }
}
