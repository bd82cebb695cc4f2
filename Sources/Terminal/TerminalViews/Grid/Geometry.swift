/// A size in columns and rows.
public struct Size: Hashable, Sendable {
  /// The columns.
  public var width: Int
  /// The rows.
  public var height: Int

  /// Creates a size; negative lengths become zero.
  public init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  /// A size without columns or rows.
  public static let zero = Size(width: 0, height: 0)

  /// Unlimited room: the proposal that finds a view's natural size.
  public static let unlimited = Size(width: unlimitedLength, height: unlimitedLength)

  static let unlimitedLength = 1 << 20
}

/// A place in a grid, from the top left corner.
public struct Point: Hashable, Sendable {
  /// The column, from 0.
  public var x: Int
  /// The row, from 0.
  public var y: Int

  /// Creates a place.
  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}

/// A part of a grid.
public struct Rect: Hashable, Sendable {
  /// The top left corner.
  public var origin: Point
  /// The columns and rows.
  public var size: Size

  /// Creates a part.
  public init(x: Int, y: Int, width: Int, height: Int) {
    origin = Point(x: x, y: y)
    size = Size(width: width, height: height)
  }

  /// Returns whether the part contains a place.
  public func contains(_ point: Point) -> Bool {
    columns.contains(point.x) && rows.contains(point.y)
  }

  var columns: Range<Int> { origin.x..<(origin.x + size.width) }
  var rows: Range<Int> { origin.y..<(origin.y + size.height) }

  func intersection(_ other: Rect) -> Rect {
    let columns = columns.clamped(to: other.columns)
    let rows = rows.clamped(to: other.rows)
    return Rect(
      x: columns.lowerBound,
      y: rows.lowerBound,
      width: columns.count,
      height: rows.count,
    )
  }
}

/// The directions in which a view takes all available room.
public struct Axes: OptionSet, Hashable, Sendable {
  /// The directions as bits.
  public let rawValue: Int

  /// Creates directions from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The horizontal direction.
  public static let horizontal = Axes(rawValue: 1)
  /// The vertical direction.
  public static let vertical = Axes(rawValue: 2)
}
