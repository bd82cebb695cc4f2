import Observation
import TerminalViews

/// A text that is asked for, over everything else.
@MainActor
@Observable
final class Prompt {
  let title: String
  var text: String
  @ObservationIgnored var onChange: @MainActor (String) -> Void = { _ in }
  /// Takes the text, or nil where there is to be none.
  @ObservationIgnored let onEnd: @MainActor (String?) -> Void

  init(title: String, text: String, onEnd: @escaping @MainActor (String?) -> Void) {
    self.title = title
    self.text = text
    self.onEnd = onEnd
  }
}

/// The view of a prompt.
struct PromptView: View {
  let prompt: Prompt

  var body: some View {
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
    .border()
    .onKey(.escape) { prompt.onEnd(nil) }
  }
}
