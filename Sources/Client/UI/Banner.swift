import TerminalViews

/// A prominent notice on its own line.
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

  /// The notice that the displayed state may be outdated, with the number of waiting actions.
  @MainActor static func ofSilence(of daemon: DaemonModel) -> Banner {
    let waiting = daemon.waitingActions
    guard waiting > 0 else {
      return Banner("The daemon does not respond. Last known state; updates resume by themselves.")
    }
    let actions = "\(Counted.text(waiting, "action")) \(waiting == 1 ? "waits" : "wait")"
    return Banner("\(actions) for the daemon. It does not respond; updates resume by themselves.")
  }
}

/// A message on the last lines, which takes at most a third of the height.
struct MessageText: PrimitiveView {
  let message: DaemonModel.Message

  private var text: Paragraph {
    Paragraph(message.text, Style(message.isFailure ? .red : .secondary))
  }

  func size(in proposal: Size) -> Size {
    let most = min(proposal.height, max(1, proposal.height / 3))
    return text.size(in: Size(width: proposal.width, height: most))
  }

  func draw(in canvas: Canvas) { text.draw(in: canvas) }
}
