/// A number in a range, shown as a mark on a line; the mouse changes it.
public struct Slider: PrimitiveView {
  private let value: UInt64
  private let range: ClosedRange<UInt64>
  private let onChange: @MainActor (UInt64) -> Void

  /// Creates a slider.
  ///
  /// - Parameters:
  ///   - value: The number.
  ///   - range: The least and the greatest number.
  ///   - onChange: Receives the number that a press or the wheel has chosen.
  public init(
    _ value: UInt64,
    in range: ClosedRange<UInt64>,
    onChange: @escaping @MainActor (UInt64) -> Void,
  ) {
    self.value = value
    self.range = range
    self.onChange = onChange
  }

  /// The horizontal direction: the slider takes the available width.
  public var flexibility: Axes { .horizontal }

  /// Returns one row.
  public func size(in proposal: Size) -> Size {
    Size(width: min(20, proposal.width), height: min(1, proposal.height))
  }

  /// Draws the line, and a mark at the number's place.
  public func draw(in canvas: Canvas) {
    let last = canvas.size.width - 1
    guard last >= 0 else { return }
    let (least, greatest) = (range.lowerBound, range.upperBound)
    let span = greatest - least
    let value = min(max(value, least), greatest)
    let part = span > 0 ? Double(value - least) / Double(span) : 1
    canvas.write(String(repeating: "─", count: last + 1), Style(.secondary))
    canvas.write("●", x: Int((part * Double(last)).rounded()), Style(.yellow, isBold: true))
    canvas.onMouse { [onChange] event in
      switch event.kind {
      case .press:
        let part = last > 0 ? Double(min(max(0, event.place.x), last)) / Double(last) : 1
        // For the greatest spans, rounding may exceed the span, or `UInt64`.
        let offset = UInt64(exactly: (part * Double(span)).rounded()) ?? span
        onChange(least + min(offset, span))
      case .wheelUp: onChange(value > least ? value - 1 : least)
      case .wheelDown: onChange(value < greatest ? value + 1 : greatest)
      }
      return true
    }
  }
}
