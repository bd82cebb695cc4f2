import Observation
import TerminalViews

/// A request for a text, or for a confirmation, over the screen.
@MainActor
@Observable
final class Prompt {
  let title: String
  var text: String
  /// Whether the answer is yes or no instead of a text.
  let isQuestion: Bool
  @ObservationIgnored var onChange: @MainActor (String) -> Void = { _ in }
  /// Receives the text, or nil after a cancellation.
  @ObservationIgnored let onEnd: @MainActor (String?) -> Void

  init(
    title: String,
    text: String = "",
    isQuestion: Bool = false,
    onEnd: @escaping @MainActor (String?) -> Void,
  ) {
    self.title = title
    self.text = text
    self.isQuestion = isQuestion
    self.onEnd = onEnd
  }
}

/// The view of a prompt.
struct PromptView: View {
  let prompt: Prompt

  var body: some View {
    content.border().onKey(.escape) { prompt.onEnd(nil) }
  }

  @ViewBuilder private var content: some View {
    if prompt.isQuestion {
      // The first button has the focus, so an accidental press keeps the present state.
      VStack {
        Text(prompt.title)
        HStack {
          Button("No, n") { prompt.onEnd(nil) }
          Button("Yes, y") { prompt.onEnd("") }
        }
      }
      .onKey("n") { prompt.onEnd(nil) }
      .onKey("y") { prompt.onEnd("") }
    } else {
      TextField(
        prompt.title,
        text: Binding {
          prompt.text
        } set: {
          prompt.text = $0
          prompt.onChange($0)
        },
        onSubmit: { prompt.onEnd(prompt.text) },
      )
      .frame(width: 56)
    }
  }
}
