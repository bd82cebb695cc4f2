import CustomDump
import Foundation
import StoreActor
import StoreState
import Testing

@Suite("Alerts, dialogs and texts")
struct AlertStateTests {
  enum Action: Hashable, Codable, Sendable {
    case save
    case discard
  }

  private let alert = AlertState<Action> {
    TextState("Save changes?")
  } actions: {
    ButtonState(action: .save) { TextState("Save") }
    ButtonState(role: .destructive, action: .send(.discard)) { TextState("Discard") }
    ButtonState(role: .cancel) { TextState("Cancel") }
  } message: {
    TextState("You have unsaved changes.")
  }

  @Test("The initializers of the oldest releases create the same values")
  func classicInitializers() {
    let classic: AlertState<Action>? = .init(
      title: .init("Save Changes?"),
      primaryButton: .default(.init("OK"), action: .send(.save)),
      secondaryButton: .cancel(.init("Cancel"), action: .send(.discard)),
    )
    let modern = AlertState<Action> {
      TextState("Save Changes?")
    } actions: {
      ButtonState(action: .save) { TextState("OK") }
      ButtonState(role: .cancel, action: .discard) { TextState("Cancel") }
    }
    #expect(classic == modern)
    let dismiss = AlertState<Action>(title: TextState("Done"), dismissButton: .cancel())
    #expect(dismiss.buttons.map(\.label) == [TextState("Cancel")])
    #expect(AlertState<Action>(title: TextState("Done")).buttons.isEmpty)
    let destructive = ButtonState<Action>.destructive(TextState("Delete"), action: .send(.discard))
    #expect(destructive.role == .destructive)
  }

  @Test("Buttons are listed with conditions and loops")
  func builder() {
    func alert(isNew: Bool, names: [String]) -> AlertState<Action> {
      AlertState {
        TextState("Save?")
      } actions: {
        if isNew {
          ButtonState(action: .save) { TextState("Save") }
        } else {
          ButtonState(action: .discard) { TextState("Discard") }
        }
        if names.isEmpty { ButtonState { TextState("None") } }
        for name in names { ButtonState(action: .save) { TextState(name) } }
      }
    }
    #expect(alert(isNew: true, names: []).buttons.map(\.label.plainText) == ["Save", "None"])
    let labels = alert(isNew: false, names: ["a", "b"]).buttons.map(\.label.plainText)
    #expect(labels == ["Discard", "a", "b"])
  }

  @Test("Alerts with the same content are equal and hash alike, but have separate ids")
  func equality() {
    let other = AlertState(title: alert.title, message: alert.message, buttons: alert.buttons)
    #expect(alert == other)
    #expect(alert.hashValue == other.hashValue)
    #expect(alert.id != other.id)
    let copy = alert
    #expect(alert.id == copy.id)
  }

  @Test("A button's action is passed to an asynchronous function")
  func asynchronousAction() async {
    var performed: [Action?] = []
    for button in alert.buttons {
      await button.withAction { action in
        await Task.yield()
        performed.append(action)
      }
    }
    #expect(performed == alert.buttons.map(\.action.action))
  }

  @Test("Actions are mapped to other actions")
  func map() {
    let texts = alert.map { $0.map { "\($0)" } }
    #expect(texts.buttons.map(\.action.action) == ["save", "discard", nil])
    #expect(texts.message == alert.message)
    var performed: [String?] = []
    for button in texts.buttons { button.withAction { performed.append($0) } }
    #expect(performed == ["save", "discard", nil])
    let dialog = ConfirmationDialogState<Action>(titleVisibility: .hidden) {
      TextState("Save?")
    } actions: {
      ButtonState(action: .save) { TextState("Save") }
    }
    #expect(dialog.map { $0.map { "\($0)" } }.buttons.map(\.action.action) == ["save"])
  }

  @Test("A dump shows the readable content")
  func dump() {
    #expect(
      String(customDumping: alert) == """
        AlertState(
          title: "Save changes?",
          actions: [
            [0]: ButtonState(
              action: .send(
                .save
              ),
              label: "Save"
            ),
            [1]: ButtonState(
              role: .destructive,
              action: .send(
                .discard
              ),
              label: "Discard"
            ),
            [2]: ButtonState(
              role: .cancel,
              label: "Cancel"
            )
          ],
          message: "You have unsaved changes."
        )
        """
    )
    #expect(
      String(customDumping: ConfirmationDialogState<Action>(title: TextState("Save?")))
        == #"ConfirmationDialogState(title: "Save?")"#
    )
  }

  @Test("They are encoded and decoded")
  func codable() throws {
    let data = try JSONEncoder().encode(alert)
    #expect(try JSONDecoder().decode(AlertState<Action>.self, from: data) == alert)
    let dialog = ConfirmationDialogState<Action>(
      title: TextState("Save?"),
      titleVisibility: .visible,
      buttons: alert.buttons,
    )
    let coded = try JSONEncoder().encode(dialog)
    #expect(try JSONDecoder().decode(ConfirmationDialogState<Action>.self, from: coded) == dialog)
  }
}

@Suite("Texts of a state")
struct TextStateTests {
  @Test("Literals, interpolations and other strings make a text")
  func initializers() {
    let count = 3
    let name: Substring = "Milk"
    #expect(TextState("Delete \(count)?") == TextState(verbatim: "Delete 3?"))
    #expect(TextState(name).plainText == "Milk")
    #expect(TextState("key", comment: "A note.").plainText == "key")
    #expect(String(state: TextState("a")) == "a")
    #expect("\(TextState("a").bold())" == "a")
  }

  @Test("Texts are joined, each in its style; adjacent texts of one style are one piece")
  func joining() {
    let text = TextState("Delete ") + TextState("all").bold() + TextState("?")
    #expect(text.plainText == "Delete all?")
    #expect(text.runs.map(\.style) == [[], .bold, []])
    #expect((TextState("a") + TextState("b")) == TextState("ab"))
    #expect(text.bold().runs.count == 1)
    #expect(text.bold().bold(isActive: false) == TextState("Delete all?"))
    #expect(TextState("") == TextState(verbatim: "").italic())
    let all = TextState("x").italic().underline().strikethrough().monospaced()
    #expect(all.runs.map(\.style) == [[.italic, .underline, .strikethrough, .monospaced]])
    #expect(all.italic(isActive: false) != all)
  }

  @Test("A dump shows styles as marks")
  func dump() {
    let text = TextState("Delete ") + TextState("all").bold().italic() + TextState("?")
    #expect(String(customDumping: text) == #""Delete ***all***?""#)
  }

  @Test("Plain text is encoded as a string, styled text as its pieces")
  func codable() throws {
    let plain = try JSONEncoder().encode([TextState("a")])
    #expect(String(decoding: plain, as: UTF8.self) == #"["a"]"#)
    let styled = [TextState("a").bold() + TextState("b")]
    let data = try JSONEncoder().encode(styled)
    #expect(try JSONDecoder().decode([TextState].self, from: data) == styled)
    #expect(try JSONDecoder().decode([TextState].self, from: plain) == [TextState("a")])
  }
}

@Suite("Alerts on the wire")
struct AlertWireTests {
  private func alert(_ action: Toggle?, title: String = "Flip?") -> AlertState<Toggle> {
    AlertState(
      title: TextState(title),
      buttons: [
        ButtonState(role: .destructive, action: .send(action)) { TextState("Flip").bold() },
        ButtonState(role: .cancel) { TextState("Keep") },
      ],
    )
  }

  @Test("An alert is encoded with the actions that a client may send")
  func alert() throws {
    try checkReplication([
      alert(.flip), alert(nil), alert(.secret), alert(.flip, title: "Flip it?"),
      AlertState(title: TextState("Done"), message: TextState("All of it.")),
    ])
    #expect(
      try wireJSON(alert(.flip)) == """
        {"title":"Flip?","message":null,"buttons":[{"role":"destructive","action":"flip",\
        "label":"Flip"},{"role":"cancel","action":null,"label":"Keep"}]}
        """
    )
    let copy = try AlertState<Toggle>(encoded: alert(.flip).encoded())
    #expect(copy.buttons.map(\.action.action) == [.flip, nil])
  }

  @Test("An action that is private to the daemon's process is null for others")
  func privateAction() throws {
    let copy = try AlertState<Toggle>(encoded: alert(.secret).encoded())
    #expect(copy.buttons.map(\.action.action) == [nil, nil])
    #expect(alert(.secret)._$isSame(as: alert(nil)))
  }

  @Test("Actions that are values are also encoded, including optional ones")
  func valueActions() throws {
    let actions: [Int??] = [nil, .some(nil), 1, 2]
    try checkReplication(actions.map { ButtonStateAction<Int?>.send($0) })
    for action in actions {
      let copy = try ButtonStateAction<Int?>(encoded: ButtonStateAction.send(action).encoded())
      #expect(copy.action == action)
    }
  }

  @Test("A change inside an action is applied according to its schema")
  func actionDelta() throws {
    typealias Action = PresentationAction<IdentifiedAction<Int, Toggle>>
    let old = ButtonStateAction<Action>.send(.presented(.element(id: 1, action: .flip)))
    let new = ButtonStateAction<Action>.send(.presented(.element(id: 2, action: .flip)))
    // [1, [1 + presented, {_0: [1 + element, {id: 2}]}]]
    let delta: [UInt8] = [0x82, 1, 0x82, 2, 0xa1, 0, 0x82, 1, 0xa1, 0, 2]
    #expect(try old.applying(delta: delta).encoded() == new.encoded())
    #expect(throws: CodecError.self) {
      try ButtonStateAction<Action>.send(nil).applying(delta: delta)
    }
  }

  @Test("A dialog is encoded with its title's visibility")
  func dialog() throws {
    try checkReplication([
      ConfirmationDialogState<Toggle>(title: TextState("Flip?")),
      ConfirmationDialogState(title: TextState("Flip?"), titleVisibility: .hidden),
      ConfirmationDialogState(title: TextState("Flip?"), message: TextState("Really?")),
    ])
  }
}
