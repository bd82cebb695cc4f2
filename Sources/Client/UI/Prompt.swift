import Observation
import TerminalViews

/// A text that is asked for, or whether something is to be done, over everything else.
@MainActor
@Observable
final class Prompt {
  let title: String
  var text: String
  /// Whether there are only yes and no, which is no text.
  let isQuestion: Bool
  @ObservationIgnored var onChange: @MainActor (String) -> Void = { _ in }
  /// Takes the text, or nil where there is to be none.
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
      // The first one has the focus: who has not read the question keeps what there is.
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
