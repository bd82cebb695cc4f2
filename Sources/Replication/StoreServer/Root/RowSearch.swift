import StoreHistory
import StoreProtocol
import StoreState

/// Searches for rows whose ids begin with a text, row by row and within the limits, because it runs
/// on the main thread.
struct RowSearch {
  private let query: RowQuery
  private let document: SchemaDocument
  private let rights: Rights
  private let limits: Limits
  /// The digits that ids have to begin with, if they are UUIDs.
  ///
  /// Bounded by ``Limits/rowIDBytes``.
  private let digits: [UInt8]
  private var rows = 0
  private var bytes = 0
  /// Bounded by ``Limits/rowIDsPerAnswer``.
  private(set) var ids: [String] = []

  init(_ query: RowQuery, _ document: SchemaDocument, _ rights: Rights, _ limits: Limits) {
    self.query = query
    self.document = document
    self.rights = rights
    self.limits = limits
    digits = query.prefix.utf8.filter { $0 != UInt8(ascii: "-") }
  }

  /// Looks at the next row.
  ///
  /// - Parameter id: The encoding of its id.
  /// - Returns: Whether the search continues with another row now.
  mutating func look(at id: [UInt8]) -> Bool {
    rows += 1
    bytes += id.count
    if mayMatch(id), let text = ScopeDescription.text(ofEncoded: id, document),
      text.utf8.count <= limits.rowIDBytes, text.utf8.starts(with: query.prefix.utf8),
      rights.sees("\(query.scope)/\(text)")
    {
      ids.append(text)
    }
    return rows < limits.rowsPerQuestion && bytes < limits.rowBytesPerQuestion
      && ids.count < limits.rowIDsPerAnswer
  }

  /// Whether an id may begin with the text.
  ///
  /// To make the text of each id takes ten times as long.
  private func mayMatch(_ id: [UInt8]) -> Bool {
    switch document.root {
    case .uuid:
      // After a byte for the length.
      id.count == 17 && digits.count <= 32
        && digits.indices.allSatisfy { place in
          let byte = id[1 + place / 2]
          return Self.digits[Int(place.isMultiple(of: 2) ? byte >> 4 : byte & 15)] == digits[place]
        }
    case .text, .url: id.dropFirst(Self.headerBytes(id)).starts(with: query.prefix.utf8)
    default: true
    }
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  /// The bytes before those of an encoded text.
  private static func headerBytes(_ id: [UInt8]) -> Int {
    switch (id.first ?? 0) & 31 {
    case 24: 2
    case 25: 3
    case 26: 5
    case 27: 9
    default: 1
    }
  }
}
