// Features are public for the modules beside them; their names say what the comments would.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// A title that the library owns, and how many copies of it are on the shelf.
public struct Book: Equatable, Identifiable, Sendable {
  public let id: UUID
  public var title: String
  public var author: String
  public var copies: Int

  public init(id: UUID, title: String, author: String, copies: Int) {
    self.id = id
    self.title = title
    self.author = author
    self.copies = copies
  }
}

/// Someone who may borrow.
public struct Reader: Equatable, Sendable {
  public var name: String
  public var needsPIN: Bool

  public init(name: String, needsPIN: Bool) {
    self.name = name
    self.needsPIN = needsPIN
  }
}

/// What the library's service refuses.
public enum LoanError: Equatable, LocalizedError, Sendable {
  case unknownCard
  case wrongPIN
  case noCopyLeft

  public var errorDescription: String? {
    switch self {
    case .unknownCard: "Nobody has this card."
    case .wrongPIN: "This is not the card's PIN."
    case .noCopyLeft: "All copies are out."
    }
  }
}
