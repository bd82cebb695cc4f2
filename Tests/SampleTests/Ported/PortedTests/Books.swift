import Foundation
import LoanClient
import StoreActor

extension Book {
  static let atlas = Book(id: UUID(1), title: "An Atlas of Bridges", author: "I. Vale", copies: 2)
  static let novel = Book(id: UUID(2), title: "Winter Ferry", author: "M. Orr", copies: 1)
}
