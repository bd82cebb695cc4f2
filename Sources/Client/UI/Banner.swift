import TerminalViews

/// Something that has to be seen, on a line of its own.
struct Banner: PrimitiveView {
  let text: String

  init(_ text: String) { self.text = text }

  var flexibility: Axes { .horizontal }
  func size(in proposal: Size) -> Size { Size(width: proposal.width, height: 1) }

  func draw(in canvas: Canvas) {
    let style = Style(.yellow, isBold: true, isReversed: true)
    canvas.fill(style)
    canvas.writeTruncated(" \(text)", style)
  }

  /// What is shown is not known to be so still.
  static let ofSilence = Banner(
    "Nothing is heard of the daemon. This is what it was; it comes back by itself."
  )
}
