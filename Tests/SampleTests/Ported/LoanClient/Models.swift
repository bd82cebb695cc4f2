// Features are public for the other modules; their names replace comments.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// A title that the library owns, and the number of its copies on the shelf.
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

/// A person who may borrow books.
public struct Reader: Equatable, Sendable {
  public var name: String
  public var needsPIN: Bool

  public init(name: String, needsPIN: Bool) {
    self.name = name
    self.needsPIN = needsPIN
  }
}

/// The errors of the library's service.
public enum LoanError: Equatable, LocalizedError, Sendable {
  case unknownCard
  case wrongPIN
  case noCopyLeft

  public var errorDescription: String? {
    switch self {
    case .unknownCard: "No user has this card."
    case .wrongPIN: "This is not the card's PIN."
    case .noCopyLeft: "All copies are out."
    }
  }
}
