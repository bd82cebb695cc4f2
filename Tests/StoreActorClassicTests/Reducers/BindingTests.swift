import StoreActorClassic
import TerminalViews
import Testing

private struct Settings: Equatable {
  struct Digest: Equatable { var isOn = false }

  @BindableState var displayName = ""
  @BindableState var digest = Digest()
  var changes = 0
}

private enum SettingsAction: BindableAction, Equatable {
  case binding(BindingAction<Settings>)
  case reset
}

private let settingsReducer = Reducer<Settings, SettingsAction, Void> { state, action, _ in
  switch action {
  case .binding(\.$displayName):
    state.displayName = String(state.displayName.prefix(4))
    return .none
  case .binding:
    state.changes += 1
    return .none
  case .reset:
    state = Settings()
    return .none
  }
}.binding()

@MainActor
@Suite("Bindable state")
struct BindingTests {
  @Test("A change is in the state before the reducer sees it, which may change it again")
  func reducing() {
    let store = TestStore(initialState: Settings(), reducer: settingsReducer, environment: ())
    store.send(.binding(.set(\.$displayName, "Blobby"))) {
      $0.displayName = "Blob"
    }
    store.send(.binding(.set(\.$digest.isOn, true))) {
      $0.digest.isOn = true
      $0.changes = 1
    }
    store.send(.reset) { $0 = Settings() }
  }

  @Test("A view's binding reads the state and sends")
  func binding() {
    let viewStore = ViewStore(
      Store(initialState: Settings(), reducer: settingsReducer, environment: ())
    )
    let name = viewStore.binding(\.$displayName)
    name.wrappedValue = "Blob Jr."
    #expect(name.wrappedValue == "Blob")
  }

  @Test("Changes are the same when their property and value are")
  func equality() {
    let change = BindingAction<Settings>.set(\.$displayName, "a")
    #expect(change == .set(\.$displayName, "a"))
    #expect(change != .set(\.$displayName, "b"))
    #expect(change != .set(\.$digest, .init()))
    #expect(change.keyPath == \Settings.$displayName)
  }

  @Test("The property travels as its bare value")
  func coding() throws {
    struct Form: Codable, Equatable {
      @BindableState var name = "x"
    }
    let data = try JSONEncoder().encode(Form())
    #expect(String(decoding: data, as: UTF8.self) == #"{"name":"x"}"#)
    #expect(try JSONDecoder().decode(Form.self, from: data) == Form())
  }
}
