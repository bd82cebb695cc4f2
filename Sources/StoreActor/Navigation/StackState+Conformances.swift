public import CustomDump

extension StackState: Equatable where Element: Equatable {
  /// Whether both have the same ids and equal elements, in the same order.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.rows == rhs.rows
  }
}

extension StackState: Hashable where Element: Hashable {
  /// Feeds the ids and the elements to a hasher.
  public func hash(into hasher: inout Hasher) {
    rows.hash(into: &hasher)
  }
}

/// A stack is coded as its elements, without their ids, which are specific to the process.
extension StackState: Decodable where Element: Decodable {
  /// Reads the elements, which get new ids.
  public init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }
}

extension StackState: Encodable where Element: Encodable {
  /// Writes the elements.
  public func encode(to encoder: any Encoder) throws {
    try [Element](self).encode(to: encoder)
  }
}

extension StackState: CustomStringConvertible {
  /// The elements as an array's description.
  public var description: String { [Element](self).description }
}

extension StackState: CustomReflectable {
  /// The ids and the elements as the children of a dictionary.
  public var customMirror: Mirror {
    Mirror(self, unlabeledChildren: Array(zip(ids, self)), displayStyle: .dictionary)
  }
}

extension StackState: CustomDumpReflectable {
  /// The ids and the elements as the children of a dictionary.
  public var customDumpMirror: Mirror { customMirror }
}
