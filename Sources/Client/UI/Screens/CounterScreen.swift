import StoreActor
import StoredWorkspace
import TerminalViews

/// The counter, and facts about its number.
struct CounterScreen: View {
  let store: StoreOf<Counter>
  let state: ScreenState<Int>

  var commands: [ScreenCommand] {
    [
      ScreenCommand(["+", "=", .up], "one more") { send(.incrementButtonTapped) },
      ScreenCommand(["-", .down], "one less") { send(.decrementButtonTapped) },
      ScreenCommand(["f"], "number fact") { send(.numberFactButtonTapped) },
    ]
  }

  var body: some View {
    VStack(spacing: 1) {
      HStack {
        Button("−") { send(.decrementButtonTapped) }
        Text("\(store.count)", Style(isBold: true))
        Button("+") { send(.incrementButtonTapped) }
      }
      Button("Number fact") { send(.numberFactButtonTapped) }
    }
    .filling()
    .onKeys(commands)
    .overlay { alert }
  }

  private var alert: (some View)? {
    store.numberFactAlert.map { fact in
      FactView(fact: fact) { send(.factAlertDismissed) }.id(fact)
    }
  }

  private func send(_ action: Counter.Action) { state.send(action, to: store) }
}

/// A fact, or the reason for its absence, until the user dismisses it.
private struct FactView: View {
  let fact: String
  let onClose: @MainActor () -> Void

  var body: some View {
    VStack {
      Paragraph(fact).frame(width: 56)
      Button("OK", action: onClose)
    }
    .border("Number fact")
    .onKey(.escape, perform: onClose)
  }
}
