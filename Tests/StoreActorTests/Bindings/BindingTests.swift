import CustomDump
import GenericState
import StoreActor
import StoreState
import Testing

/// A form whose fields bindings set.
struct Form: Reducer {
  struct State: Equatable, Sendable {
    var name = ""
    var age = 0
    var tags: [String] = []
    var address = Address()
    var secret = 0
    var searches = 0

    struct Address: Equatable, Sendable {
      var city = ""
    }
  }

  @CasePathable
  enum Action: BindableAction, Equatable, Sendable {
    case binding(BindingAction<State>)
    case clearTapped
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .binding(\.name): state.searches += state.name.count
      case .binding: break
      case .clearTapped: state = State()
      }
      return .none
    }
  }
}

/// A form whose actions are separated by their permitted senders.
struct SplitForm: Reducer {
  @CasePathable
  enum Action: ViewAction, Equatable, Sendable {
    case view(Form.Action)
    case loaded
  }

  var body: some Reducer<Form.State, Action> {
    BindingReducer(action: \.view)
  }
}

/// An action without case paths.
enum BareAction: BindableAction {
  case other(BindingAction<Form.State>)
  case binding(BindingAction<Form.State>)
}

/// Shows one form at a time.
private struct Sheets: Reducer {
  struct Sheet: Sendable, Equatable, Identifiable {
    let id: Int
    var form = Form.State()
  }

  struct State: Sendable {
    var sheet: Sheet?
  }

  @CasePathable
  enum Action: Sendable {
    case open(Int?)
    case sheet(SheetAction)
  }

  @CasePathable
  enum SheetAction: BindableAction, Sendable {
    case binding(BindingAction<Sheet>)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .open(let id) = action { state.sheet = id.map { Sheet(id: $0) } }
      return .none
    }
    .ifLet(\.sheet, action: \.sheet) { BindingReducer<Sheet, SheetAction, SheetAction>() }
  }
}

@Suite("Bindings")
@MainActor
struct BindingTests {
  @Test("A property is set before the subsequent reducers see the action")
  func reducer() {
    let store = Store(initialState: Form.State()) { Form() }
    store.send(.set(\.name, "Blob"))
    store.send(.binding(.set(\.age, 42)))
    #expect(store.name == "Blob")
    #expect(store.age == 42)
    #expect(store.searches == 4)
    store.send(.clearTapped)
    #expect(store.state == Form.State())
  }

  @Test("Assigning to a store's property sends the action that sets it")
  func setter() {
    let store = Store(initialState: Form.State()) { Form() }
    store.name = "Blob"
    store.tags.append("new")
    store.address.city = "Paris"
    #expect(store.withState(\.name) == "Blob")
    #expect(store.searches == 4)
    #expect(store.tags == ["new"])
    #expect(store.address.city == "Paris")
  }

  @Test("Assigning to a store's property sends the view's action if actions are separated")
  func viewSetter() {
    let store = Store(initialState: Form.State()) { SplitForm() }
    store.name = "Blob"
    store.age += 1
    #expect(store.state == Form.State(name: "Blob", age: 1))
    store.send(.loaded)
    #expect(store.age == 1)
  }

  @Test("Assigning to a property that no reducer sets is reported")
  func unhandled() {
    let store = Store(initialState: Form.State()) {
      Reduce<Form.State, Form.Action> { _, _ in .none }
    }
    withKnownIssue {
      store.name = "Blob"
    } matching: { issue in
      issue.description.contains("no \"BindingReducer\" has set it")
        && issue.description.contains("\"Blob\"")
        && issue.description.contains("To fix, put a \"BindingReducer()\" into the feature's body")
    }
    #expect(store.name == "")
  }

  @Test("Assigning while the reducer runs is one report, and the property is set afterward")
  func reentrant() {
    let assign = LockIsolated<@MainActor @Sendable () -> Void>({})
    let store = Store(initialState: Form.State()) {
      Form()
      Reduce<Form.State, Form.Action> { _, action in
        if action == .clearTapped { MainActor.assumeIsolated { assign.value() } }
        return .none
      }
    }
    assign.setValue { [unowned store] in store.name = "Blob" }
    let issues = LockIsolated(0)
    withKnownIssue {
      store.send(.clearTapped)
    } matching: { _ in
      issues.withValue { $0 += 1 }
      return true
    }
    #expect(issues.value == 1)
    #expect(store.name == "Blob")
  }

  @Test("Assigning to a property of a removed child has no effect, also not on another child")
  func gone() {
    let store = Store(initialState: Sheets.State(sheet: Sheets.Sheet(id: 1))) { Sheets() }
    let sheet = store.scope(\.sheet, action: \.sheet)
    store.send(.open(2))
    sheet?.form.name = "Blob"
    #expect(store.sheet?.form.name == "")
    store.send(.open(nil))
    sheet?.form.name = "Blob"
    #expect(sheet.flatMap { StoreEnd(of: $0) } == .gone)
  }

  @Test("A test sends a property's setting by its case path")
  func testStore() async {
    let store = TestStore(initialState: Form.State()) { Form() }
    await store.send(\.binding.name, "Blob") {
      $0.name = "Blob"
      $0.searches = 4
    }
    await store.send(.set(\.address.city, "Paris")) { $0.address.city = "Paris" }
    let split = TestStore(initialState: Form.State()) { SplitForm() }
    await split.send(\.view.binding.age, 3) { $0.age = 3 }
  }

  @Test("Settings are equal when they set the same property to equal values")
  func equality() {
    typealias Action = BindingAction<Form.State>
    #expect(Action.set(\.name, "a") == .set(\.name, "a"))
    #expect(Action.set(\.name, "a") != .set(\.name, "b"))
    #expect(Action.set(\.age, 1) != .set(\.secret, 1))
    #expect(\Form.State.age ~= Action.set(\.age, 1))
    #expect(!(\Form.State.secret ~= Action.set(\.age, 1)))
    let path: CaseKeyPath<Form.Action, Int> = \.binding.age
    #expect(path(1) == .set(\.age, 1))
    #expect(caseName(of: path) == #"\.binding.age"#)
    #expect(AnyCasePath(path).extract(from: .set(\.age, 1)) == 1)
    #expect(AnyCasePath(path).extract(from: .set(\.secret, 1)) == nil)
  }

  @Test("An action without case paths is bindable too")
  func reflection() {
    let binding = BindingAction<Form.State>.set(\.age, 1)
    #expect(BareAction.binding(binding).binding == binding)
    #expect(BareAction.other(binding).binding == nil)
    var state = Form.State()
    let reducer = BindingReducer<Form.State, BareAction, BareAction>()
    _ = reducer.reduce(into: &state, action: .binding(binding))
    _ = reducer.reduce(into: &state, action: .other(.set(\.age, 2)))
    #expect(state.age == 1)
  }

  @Test("A dump shows the value")
  func dump() {
    let text = String(customDumping: Form.Action.set(\.name, "Blob"))
    #expect(text.contains("Form.Action.binding("))
    #expect(text.contains(".set("))
    #expect(text.contains("\"Blob\""))
  }
}

/// The state of a form that a client sees.
struct SharedForm: Equatable, Sendable {
  var name = ""
  var age = 0
  var tags: [String] = []
  var address = Address()
  var secret = 0
  @PresentationState var alert: AlertState<Toggle>?
  var path = StackState<Int>()

  struct Address: Equatable, Sendable {
    var city = ""
  }
}

extension SharedForm: ReplicatedRecord {
  static let layout = RecordLayout<SharedForm>(
    "SharedForm",
    [
      .field("name", \.name), .field("age", \.age), .field("tags", \.tags),
      .field("address", \.address), .field("alert", \._alert), .field("path", \.path),
    ],
  )
}

extension SharedForm.Address: ReplicatedRecord {
  static let layout = RecordLayout<SharedForm.Address>("Address", [.field("city", \.city)])
}

/// A form with one field that clients may set.
struct GuardedForm: ReplicatedRecord, BindableFields, Equatable {
  var name = ""
  var isAdmin = false

  static let layout = RecordLayout<GuardedForm>(
    "GuardedForm",
    [.field("name", \.name), .field("isAdmin", \.isAdmin)],
  )
  static var bindableFields: [PartialKeyPath<Self>] { [\.name] }
}

@Suite("Bindings on the wire")
struct BindingWireTests {
  typealias Action = BindingAction<SharedForm>

  @Test("Only properties that can be written to, replicated and compared may be set")
  func fields() {
    let document = SchemaRegistry.document(for: Action.self)
    let field = { (schema: Schema) in [Definition.Field("_0", schema)] }
    #expect(
      document.definitions["SharedForm.Binding"]
        == .choice([
          Definition.Case("name", field(.text)), Definition.Case("age", field(.int64)),
          Definition.Case("tags", field(.array(.text))),
          Definition.Case("address", field(.named("Address"))),
        ])
    )
  }

  @Test("A state may permit fewer properties")
  func guarded() throws {
    typealias Action = BindingAction<GuardedForm>
    let document = SchemaRegistry.document(for: Action.self)
    let field = Definition.Field("_0", .text)
    #expect(
      document.definitions == ["GuardedForm.Binding": .choice([Definition.Case("name", [field])])]
    )
    #expect(throws: CodecError.self) { try Action.set(\.isAdmin, true).encoded() }
    #expect(try Action(encoded: Action.set(\.name, "Blob").encoded()) == .set(\.name, "Blob"))
  }

  @Test("A setting is encoded as the property's name with the value")
  func form() throws {
    let actions: [(Action, String)] = [
      (.set(\.name, "Blob"), #"{"name":{"_0":"Blob"}}"#),
      (.set(\.age, 42), #"{"age":{"_0":42}}"#),
      (.set(\.tags, ["a"]), #"{"tags":{"_0":["a"]}}"#),
      (
        .set(\.address, SharedForm.Address(city: "Paris")), #"{"address":{"_0":{"city":"Paris"}}}"#,
      ),
    ]
    for (action, text) in actions {
      #expect(try wireJSON(action) == text)
      #expect(try Action(encoded: action.encoded()) == action)
    }
  }

  @Test("A person writes the property's name and the value")
  func shortForm() throws {
    let document = SchemaRegistry.document(for: Action.self)
    let value = try JSONProjection.value(fromJSON: #"{"name": "Blob"}"#, in: document)
    #expect(try Action(encoded: value.encoded()) == .set(\.name, "Blob"))
  }

  @Test("A private property, or one inside of another, is refused when it is sent")
  func refusedByClient() {
    for action in [Action.set(\.secret, 1), .set(\.address.city, "Paris"), .set(\.alert, nil)] {
      let error = #expect(throws: CodecError.self) { try action.encoded() }
      #expect(error?.code == .privateAction)
      #expect(error?.message.contains("cannot be set from another process") == true)
    }
  }

  @Test("An unknown or private property is refused on receipt, with the nearest names")
  func refusedByDaemon() throws {
    for (name, hint) in [("nam", "did you mean \"name\"?"), ("secret", "there are")] {
      var encoder = CBOREncoder()
      encoder.mapHeader(1)
      encoder.encode(text: name)
      encoder.mapHeader(1)
      encoder.encode(text: "_0")
      encoder.encode(text: "Blob")
      let error = #expect(throws: CodecError.self) { try Action(encoded: encoder.bytes) }
      #expect(error?.code == .unknownName)
      #expect(error?.message.contains(hint) == true, "\(String(describing: error))")
    }
  }

  @Test("A value of another kind is refused with the property's name")
  func wrongKind() throws {
    var encoder = CBOREncoder()
    encoder.mapHeader(1)
    encoder.encode(text: "age")
    encoder.mapHeader(1)
    encoder.encode(text: "_0")
    encoder.encode(text: "old")
    let error = #expect(throws: CodecError.self) { try Action(encoded: encoder.bytes) }
    #expect(error?.description.contains("$.age._0") == true)
  }
}
