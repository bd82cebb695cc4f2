import OtherDependencies

// The application's existing code: a client, and its key in the other library.

struct Rates: Sendable {
  var euros: @Sendable (_ dollars: Int) async -> Int
}

extension Rates: DependencyKey {
  static let liveValue = Rates { $0 * 9 / 10 }
}

extension DependencyValues {
  var rates: Rates {
    get { self[Rates.self] }
    set { self[Rates.self] = newValue }
  }
}

struct ReceiptPrinter {
  @Dependency(\.rates) private var rates

  func line(dollars: Int) async -> String { "\(await rates.euros(dollars)) €" }
}
