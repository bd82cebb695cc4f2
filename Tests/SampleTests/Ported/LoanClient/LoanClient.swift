// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import StoreActor

/// The library's service.
@DependencyClient
public struct LoanClient: Sendable {
  public var books: @Sendable (_ matching: String) async throws -> [Book]
  public var login: @Sendable (_ card: String, _ name: String) async throws -> Reader
  public var confirm: @Sendable (_ card: String, _ pin: String) async throws -> Reader
  public var borrow: @Sendable (_ book: Book.ID, _ weeks: Int) async throws -> Date
  public var giveBack: @Sendable (_ book: Book.ID) async throws -> Void
  public var reservedUntil: @Sendable (_ book: Book.ID) async -> Date?
  public var openingHours: @Sendable () -> String = { "9 to 5" }
}

extension LoanClient: TestDependencyKey {
  public static let testValue = Self()
}

extension DependencyValues {
  public var loanClient: LoanClient {
    get { self[LoanClient.self] }
    set { self[LoanClient.self] = newValue }
  }
}
