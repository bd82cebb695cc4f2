import StoreActor
import StoredWorkspace
import TerminalViews

/// The guessing game: the current round, and the results, which can be edited and saved.
struct GameScreen: View {
  let store: StoreOf<Game>
  let daemon: DaemonModel
  let state: ScreenState<GameResult.State.ID>

  var commands: [ScreenCommand] {
    var commands = store.resultList == nil ? [] : editing
    commands += [
      ScreenCommand(["+", "="], "higher") { send(.counter(.incrementButtonTapped)) },
      ScreenCommand(["-"], "lower") { send(.counter(.decrementButtonTapped)) },
      ScreenCommand(["t"], "type a guess") {
        askForGuess { send(.counter(.guessChanged(guess: $0))) }
      },
      ScreenCommand(["n"], "next round") { send(.counter(.playNextButtonTapped)) },
      ScreenCommand(["s"], "start") { send(.timer(.startButtonTapped)) },
      ScreenCommand(["p"], "pause") { send(.timer(.pauseButtonTapped)) },
    ]
    if store.resultList == nil {
      commands.append(ScreenCommand(["r"], "edit results") { send(.resultsButtonTapped) })
    }
    return commands + state.filterCommands()
  }

  /// The keys while the results are edited.
  private var editing: [ScreenCommand] {
    let commands = [
      ScreenCommand(["e", .enter], "edit guess") {
        withSelected { row in
          askForGuess("\(row.guess)") { guess in
            ifPresent(row) {
              send(.resultList(.rows(.element(id: row.id, action: .guessChanged(guess: guess)))))
            }
          }
        }
      },
      ScreenCommand(["d", .delete], "delete") {
        withSelected { row in
          state.confirm("Delete the result of guess \(row.guess)?") {
            ifPresent(row) {
              state.send(.resultList(.removed(id: row.id)), to: store, leaving: row.id)
            }
          }
        }
      },
    ]
    // A filter is ended first.
    guard state.search.isEmpty else { return commands }
    return commands + [ScreenCommand([.escape], "leave") { send(.resultsDismissed) }]
  }

  /// Prompts for a guess, and reports an invalid one.
  private func askForGuess(_ text: String = "", then take: @escaping @MainActor (Int) -> Void) {
    daemon.leaveScreen()
    state.ask("Guess", text) { [daemon] text in
      let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      guard !text.isEmpty else { return }
      let range = GuessCounter.State.range
      guard let guess = Int(text), range.contains(guess) else {
        // Further keys are for the field, so the prompt opens again.
        askForGuess(text, then: take)
        return daemon.say(
          "\"\(text)\" is no guess. Type a whole number from \(range.lowerBound) to "
            + "\(range.upperBound).",
          isFailure: true,
          isOfScreen: true,
        )
      }
      take(guess)
    }
  }

  private func withSelected(_ body: (GameResult.State) -> Void) {
    state.withSelected(in: shown(store.resultList?.rows ?? []), body)
  }

  /// Calls a closure if the row still exists; otherwise reports that it is missing.
  private func ifPresent(_ row: GameResult.State, _ body: () -> Void) {
    if store.resultList?.rows[id: row.id] == nil { state.tellMissing() } else { body() }
  }

  /// The results that pass the filter.
  private func shown(_ rows: IdentifiedArrayOf<GameResult.State>) -> [GameResult.State] {
    rows.filter {
      !state.leaving.contains($0.id)
        && state.finds(in: Self.verdict($0), "\($0.guess)", "\($0.secret)")
    }
  }

  var body: some View {
    VStack(spacing: 1) {
      Round(store: store)
      if let list = store.resultList {
        VStack {
          HStack {
            Text("Editing the results", Style(.yellow, isBold: true))
            if store.isSaving { Text("saving …", Style(.secondary)) }
          }
          results(list.rows)
        }
      } else {
        results(store.results)
      }
    }
    .onKeys(commands)
    .overlay {
      store.alert.map { alert in
        AlertStateView(alert: alert) { send(.alert($0)) }.id(alert.title.plainText)
      }
    }
  }

  @ViewBuilder private func results(_ rows: IdentifiedArrayOf<GameResult.State>) -> some View {
    SearchText(search: state.search)
    Table(
      shown(rows),
      id: \.id,
      selection: state.selectionBinding,
      columns: [
        TableColumn("", style: { Style($0.isCorrect ? .green : .red) }) {
          Self.verdict($0)
        },
        TableColumn("Guess", isNumber: true) { "\($0.guess)" },
        TableColumn("Secret", isNumber: true) { "\($0.secret)" },
        TableColumn("Time", isNumber: true) { GameScreen.text($0.timeSpent) },
      ],
    )
  }

  private static func verdict(_ result: GameResult.State) -> String {
    result.isCorrect ? "right" : "wrong"
  }

  static func text(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
    return "\(tenths / 10).\(tenths % 10) s"
  }

  private func send(_ action: Game.Action) { state.send(action, to: store) }
}

/// The round that is being played.
private struct Round: View {
  let store: StoreOf<Game>

  var body: some View {
    HStack(spacing: 3) {
      Text("Guess \(store.counter.count)", Style(isBold: true))
      verdict
      Text("played \(GameScreen.text(store.timer.duration))", Style(.secondary))
      let right = store.results.count { $0.isCorrect }
      Text("\(right) of \(store.results.count) right")
    }
  }

  private var verdict: Text {
    switch store.counter.verdict {
    case .lower: Text("too low", Style(.yellow))
    case .equal: Text("right!", Style(.green, isBold: true))
    case .higher: Text("too high", Style(.yellow))
    }
  }
}

/// An alert of a feature's state, whose buttons send its actions.
struct AlertStateView<Action: Sendable>: View {
  let alert: AlertState<Action>
  let send: @MainActor (PresentationAction<Action>) -> Void

  var body: some View {
    VStack {
      if let message = alert.message { Paragraph(message.plainText).frame(width: 48) }
      HStack {
        ForEach(Array(alert.buttons.indices), id: \.self) { place in
          let button = alert.buttons[place]
          Button(button.label.plainText) {
            send(button.action.action.map { .presented($0) } ?? .dismiss)
          }
        }
        if alert.buttons.isEmpty { Button("OK") { send(.dismiss) } }
      }
    }
    .border(alert.title.plainText)
    .onKey(.escape) { send(.dismiss) }
  }
}
