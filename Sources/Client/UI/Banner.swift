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

  /// What is shown is not known to be so still, and how many actions wait.
  @MainActor static func ofSilence(of daemon: DaemonModel) -> Banner {
    let waiting = daemon.waitingActions
    guard waiting > 0 else {
      return Banner("Nothing is heard of the daemon. This is what it was; it comes back by itself.")
    }
    let actions = "\(Counted.text(waiting, "action")) \(waiting == 1 ? "waits" : "wait")"
    return Banner("\(actions) for the daemon. Nothing is heard of it; it comes back by itself.")
  }
}

/// Something to be said on the last lines: as much of it as leaves two thirds to what it is about.
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
