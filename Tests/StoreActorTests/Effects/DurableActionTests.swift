import StoreActor
import Testing

/// The forms of actions that are stored and not sent.
@Suite(.timeLimit(.minutes(1))) struct DurableActionTests {
  private static let form = StoredActionForm<Shop.Action>()

  private static let kept: [Shop.Action] = [
    .opened,
    .press(.printButtonTapped),
    .press(.jammed),
    .press(.printed(pages: 3, of: "menu")),
    .press(.response(.success(7))),
    .press(.response(.failure(PressError(code: 2)))),
    .press(.proofed(Proof(text: "a", isRead: true))),
    .presses(.element(id: 5, action: .jammed)),
    .sheet(.presented(.jammed)),
    .sheet(.dismiss),
  ]

  @Test func `An action is read from its form`() throws {
    let form = try #require(Self.form)
    for action in Self.kept {
      let bytes = try #require(form.bytes(of: action), "\(action)")
      #expect(try form.action(bytes) == action)
    }
  }

  @Test func `A client can send only actions without a mark`() throws {
    for action in Self.kept {
      let isSent = [.opened, .press(.printButtonTapped), .sheet(.dismiss)].contains(action)
      #expect(((try? action.encoded()) != nil) == isSent, "\(action)")
      let bytes = try #require(Self.form?.bytes(of: action), "\(action)")
      #expect(((try? Shop.Action(encoded: bytes)) != nil) == isSent, "\(action)")
    }
  }

  @Test func `No bytes of a client are read as an action that clients may not send`() throws {
    var generator = SystemRandomNumberGenerator()
    let forms = try Self.kept.map { try #require(Self.form?.bytes(of: $0)) }
    var read = 0
    for _ in 0..<20_000 {
      var bytes = try #require(forms.randomElement(using: &generator))
      for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: bytes[place] = .random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        default:
          let other = try #require(forms.randomElement(using: &generator))
          bytes.insert(contentsOf: other.prefix(.random(in: 0...other.count)), at: place)
        }
      }
      do throws(CodecError) {
        let action = try Shop.Action(encoded: bytes)
        read += 1
        #expect((try? action.encoded()) != nil, "\(action) from \(bytes)")
      } catch {
        #expect(!error.message.isEmpty)
      }
    }
    #expect(read > 0)
  }

  @Test func `A case that is marked as not durable is not stored`() {
    #expect(Self.form?.bytes(of: .press(.secret("x"))) == nil)
    #expect(Self.form?.bytes(of: .presses(.element(id: 1, action: .secret("x")))) == nil)
  }

  @Test func `A child's action without the protocol is stored as far as clients may send it`() {
    #expect(Self.form?.bytes(of: .guest(.knocked)) != nil)
    #expect(Self.form?.bytes(of: .guest(.entered)) == nil)
  }

  @Test func `A long action has no form`() {
    let most = StoredAction.mostBytes
    let text = String(repeating: "x", count: most - 100)
    #expect(Self.form?.bytes(of: .press(.printed(pages: 1, of: text))) != nil)
    #expect(Self.form?.bytes(of: .press(.printed(pages: 1, of: text + text))) == nil)
  }

  @Test func `The schema that clients see lists no case that they may not send`() {
    let document = SchemaRegistry.document(for: Press.Action.self)
    #expect("\(document)".contains("printButtonTapped"))
    #expect(!"\(document)".contains("jammed"))
  }

  @Test func `An unknown case of another build is an error that names the known ones`() throws {
    let bytes = "unheardOf".encoded()
    let error = #expect(throws: CodecError.self) { try Self.form?.action(bytes) }
    #expect(error?.code == .unknownName)
    #expect(error?.message.contains("press") == true, "\(String(describing: error))")
  }

  @Test func `A type without the protocol has no form`() {
    #expect(StoredActionForm<Guest.Action>() == nil)
  }

  @Test func `A payload that would lose a hidden part is named`() {
    #expect(Self.form?.forgetful == [])
    #expect(StoredActionForm<Forgetful>()?.forgetful == ["LosingProof"])
  }
}

@ObservableState
struct PressError: Equatable, Error, ReplicatedState {
  var code: Int
}

@ObservableState
struct Proof: DurableState, Equatable {
  var text: String
  @ReplicationIgnored var isRead = false

  init(text: String, isRead: Bool) {
    self.text = text
    self.isRead = isRead
  }
}

@ObservableState
struct LosingProof: Equatable, ReplicatedState {
  var text: String
  @ReplicationIgnored var isRead = false

  init(text: String) { self.text = text }
}

@CasePathable
enum Forgetful: DurableAction, Equatable {
  @ReplicationIgnored case proofed(LosingProof)
}

@Reducer
private struct Press {
  @ObservableState
  struct State: Equatable, Identifiable, ReplicatedState { let id: Int }

  enum ViewAction: Equatable, Sendable, WireAction {
    case printButtonTapped
  }

  enum ReducerAction: DurableAction, Equatable, Sendable {
    case jammed
    case printed(pages: Int, of: String)
    case proofed(Proof)
    case response(Result<Int, PressError>)
    @DurableIgnored case secret(String)
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
private struct Guest {
  struct State: Equatable {}

  enum Action: Equatable, WireAction {
    case knocked
    @ReplicationIgnored case entered
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
private struct Shop {
  @ObservableState
  struct State: Equatable, ReplicatedState { var count = 0 }

  enum Action: DurableAction, Equatable {
    case guest(Guest.Action)
    case opened
    case press(Press.Action)
    case presses(IdentifiedActionOf<Press>)
    case sheet(PresentationAction<Press.Action>)
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}
