/// Watches the search for an entry behind something that is none, which may take long.
package struct LogSearch: Sendable {
  /// How many bytes are looked at between two calls.
  static let step = 4 << 20

  private let goesOn: @Sendable (Int, Int) -> Bool

  /// Watches searches.
  ///
  /// - Parameter goesOn: Called now and then with the place in a segment that was reached and its
  ///   number of bytes; says whether the search goes on.
  package init(goesOn: @escaping @Sendable (Int, Int) -> Bool) { self.goesOn = goesOn }

  func reached(_ place: Int, of count: Int) throws(JournalError) {
    guard !goesOn(place, count) else { return }
    throw JournalError(
      .busy,
      "The search for what is kept behind a torn entry was given up. Start again to repeat it.",
    )
  }
}
