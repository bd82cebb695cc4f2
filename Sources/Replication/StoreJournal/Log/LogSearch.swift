/// Watches the search for an entry after damaged bytes, which may take long.
package struct LogSearch: Sendable {
  /// The number of bytes that are searched between two calls.
  static let step = 4 << 20

  private let goesOn: @Sendable (Int, Int) -> Bool

  /// Watches searches.
  ///
  /// - Parameter goesOn: Called from time to time with the offset that was reached in a segment and
  ///   its number of bytes; returns whether to continue the search.
  package init(goesOn: @escaping @Sendable (Int, Int) -> Bool) { self.goesOn = goesOn }

  func reached(_ place: Int, of count: Int) throws(JournalError) {
    guard !goesOn(place, count) else { return }
    throw JournalError(
      .busy,
      "The search for entries after a torn one was stopped. Start again to repeat it.",
    )
  }
}
