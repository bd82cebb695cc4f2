/// A plot of numbers as columns of blocks, the newest at the right.
public struct Sparkline: PrimitiveView {
  private let values: [Double]
  private let height: Int

  /// Creates a plot.
  ///
  /// - Parameters:
  ///   - values: The numbers, at least 0, oldest first; the oldest ones are omitted if they have
  ///     no room.
  ///   - height: The rows.
  public init(_ values: [Double], height: Int = 1) {
    self.values = values
    self.height = height
  }

  /// The horizontal direction: the plot takes the available width.
  public var flexibility: Axes { .horizontal }

  /// Returns a column for each number.
  public func size(in proposal: Size) -> Size {
    Size(width: min(values.count, proposal.width), height: min(height, proposal.height))
  }

  /// Draws the columns; the greatest visible number takes all rows.
  public func draw(in canvas: Canvas) {
    let shown = values.suffix(canvas.size.width)
    let greatest = shown.max() ?? 0
    guard greatest > 0, greatest.isFinite else { return }
    let rows = canvas.size.height
    for (column, value) in shown.enumerated() {
      // Any number above 0 shows at least one eighth of a row.
      let eighths = value > 0 ? max(1, Int((value / greatest * Double(rows * 8)).rounded())) : 0
      for row in 0..<rows {
        let part = min(8, max(0, eighths - row * 8))
        guard part > 0, let block = Unicode.Scalar(0x2580 + UInt32(part)) else { continue }
        canvas.write(
          String(block),
          x: canvas.size.width - shown.count + column,
          y: rows - 1 - row,
          Style(.cyan),
        )
      }
    }
  }
}
