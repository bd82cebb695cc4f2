import StoreActor
import Testing

@Suite("Presented features", .timeLimit(.minutes(1)))
@MainActor
struct PresentationReducerTests {
  private func desk(
    sheet: PaperSheet.State? = PaperSheet.State(id: 1),
    clock: TestClock<Duration> = TestClock(),
  ) -> StoreOf<Desk> {
    Store(initialState: Desk.State(sheet: sheet)) {
      Desk()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test("The child runs before its parent")
  func order() {
    let store = desk()
    store.send(.sheet(.presented(.tick)))
    #expect(store.sheet?.ticks == 1)
    #expect(store.sheetWasThere == true)
  }

  @Test("At dismiss the parent sees the child a last time, and then it is nil")
  func dismissAction() {
    let store = desk()
    store.send(.sheet(.dismiss))
    #expect(store.sheetWasThere == true)
    #expect(store.sheet == nil)
  }

  @Test("A child that the parent presents at dismiss stays")
  func replacedAtDismiss() {
    let store = Store(initialState: Desk.State(sheet: PaperSheet.State(id: 1))) {
      Reduce<Desk.State, Desk.Action> { state, action in
        if action == .sheet(.dismiss) { state.sheet = PaperSheet.State(id: 2) }
        return .none
      }
      .ifLet(\.$sheet, action: \.sheet) {
        PaperSheet()
      }
    }
    store.send(.sheet(.dismiss))
    #expect(store.sheet?.id == 2)
  }

  @Test("The child's effects are cancelled when it is removed, and the parent's continue")
  func cancellation() async {
    let clock = TestClock()
    let store = desk(clock: clock)
    for end in [Desk.Action.hide, .show(2), .sheet(.dismiss)] {
      let parent = store.send(.start)
      let child = store.send(.sheet(.presented(.start)))
      #expect(!child.isFinished)
      store.send(end)
      await child.finish()
      #expect(!parent.isFinished)
      parent.cancel()
      await parent.finish()
      store.send(.show(1))
    }
  }

  @Test("A child with the same id is the same child")
  func sameIdentity() async {
    let store = desk()
    let task = store.send(.sheet(.presented(.start)))
    store.send(.show(1))
    await Task.megaYield()
    #expect(!task.isFinished)
    task.cancel()
    await task.finish()
  }

  @Test("A state that a child presents ends with the child")
  func nestedCancellation() async {
    let store = desk()
    store.send(.sheet(.presented(.openTapped(5))))
    let inner = store.send(.sheet(.presented(.inner(.presented(.start)))))
    #expect(!inner.isFinished)
    store.send(.hide)
    await inner.finish()
  }

  @Test("A child of an enum is another child if its case or its id changes")
  func enumIdentity() async {
    let store = Store(initialState: Lobby.State()) {
      Lobby()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
    let ends: [Destination.State?] = [
      .other(PaperSheet.State(id: 1)), .sheet(PaperSheet.State(id: 2)), .alert(.cases), nil,
    ]
    for end in ends {
      store.send(.go(.sheet(PaperSheet.State(id: 1))))
      let task = store.send(.destination(.presented(.sheet(.start))))
      store.send(.go(.sheet(PaperSheet.State(id: 1, ticks: 7))))
      await Task.megaYield()
      #expect(!task.isFinished)
      store.send(.go(end))
      await task.finish()
    }
  }

  @Test("A child dismisses itself; later actions of its effect are dropped")
  func dismissFromChild() async {
    let store = TestStore(initialState: Desk.State(sheet: PaperSheet.State(id: 1))) {
      Desk()
    }
    await store.send(.sheet(.presented(.closeTapped)))
    await store.receive(\.sheet.dismiss) {
      $0.sheetWasThere = true
      $0.sheet = nil
    }
    await store.finish()
  }

  @Test("Dismissing reaches the nearest presented feature, through features that are not presented")
  func nearest() async {
    let desk = Desk.State(sheet: PaperSheet.State(id: 1))
    let store = TestStore(initialState: Building.State(desk: desk)) { Building() }
    await store.send(.desk(.presented(.sheet(.presented(.closeTapped)))))
    await store.receive(\.desk.sheet.dismiss) {
      $0.desk?.sheetWasThere = true
      $0.desk?.sheet = nil
    }
  }

  @Test("Several effects of one action may all dismiss; the first does")
  func dismissFromSeveralEffects() async {
    struct Closer: Reducer {
      @Dependency(\.dismiss) var dismiss
      var body: some ReducerOf<PaperSheet> {
        Reduce { _, _ in
          .merge(
            .run { _ in },
            .concatenate(.run { _ in await dismiss() }, .send(.tick)),
            .run { _ in await dismiss() }.cancellable(id: 1),
          )
        }
      }
    }
    let store = TestStore(initialState: Desk.State(sheet: PaperSheet.State(id: 1))) {
      Reduce<Desk.State, Desk.Action> { _, _ in .none }
        .ifLet(\.$sheet, action: \.sheet) { Closer() }
    }
    await store.send(.sheet(.presented(.look)))
    await store.receive(\.sheet.dismiss) { $0.sheet = nil }
    await store.finish()
  }

  @Test("A dismissal is not lost while a cancelled sibling cleans up")
  func dismissBesideCleanUp() async {
    for _ in 0..<20 {
      let (cleanUp, dismissal) = (Gate(), Gate())
      let store = Store(initialState: Desk.State(sheet: PaperSheet.State(id: 1))) {
        Reduce<Desk.State, Desk.Action> { _, _ in .none }
          .ifLet(\.$sheet, action: \.sheet) {
            Reduce<PaperSheet.State, PaperSheet.Action> { _, action in
              @Dependency(\.dismiss) var dismiss
              guard action == .start else { return .cancel(id: "sibling") }
              return .merge(
                .run { _ in await cleanUp.wait() }.cancellable(id: "sibling"),
                .run { _ in
                  await dismissal.wait()
                  await dismiss()
                },
              )
            }
          }
      }
      let task = store.send(.sheet(.presented(.start)))
      store.send(.sheet(.presented(.look)))
      dismissal.open()
      await eventually { store.sheet == nil }
      cleanUp.open()
      await task.finish()
    }
  }

  @Test("An effect of a past presentation does not dismiss the next one")
  func dismissOverPresentation() async {
    let gate = Gate()
    let store = Store(initialState: Desk.State(sheet: PaperSheet.State(id: 1))) {
      Reduce<Desk.State, Desk.Action> { state, action in
        if action == .hide { state.sheet = nil }
        if action == .show(1) { state.sheet = PaperSheet.State(id: 1) }
        return .none
      }
      .ifLet(\.$sheet, action: \.sheet) {
        Reduce<PaperSheet.State, PaperSheet.Action> { _, action in
          @Dependency(\.dismiss) var dismiss
          guard action == .start else { return .run { _ in try await Task.never() } }
          return .run { _ in
            await gate.wait()
            await dismiss()
          }
        }
      }
    }
    let task = store.send(.sheet(.presented(.start)))
    store.send(.hide)
    store.send(.show(1))
    let next = store.send(.sheet(.presented(.look)))
    gate.open()
    await task.finish()
    #expect(store.sheet != nil)
    next.cancel()
    await next.finish()
  }

  @Test("A feature knows whether it is presented")
  func isPresented() {
    let store = desk()
    store.send(.sheet(.presented(.look)))
    #expect(store.sheet?.wasPresented == true)
    let root = Store(initialState: PaperSheet.State(id: 1)) { PaperSheet() }
    root.send(.look)
    #expect(root.wasPresented == false)
  }

  @Test("Dismissing a feature that is not presented is reported with the place of the call")
  func dismissRoot() async {
    let store = Store(initialState: PaperSheet.State(id: 1)) { PaperSheet() }
    await withKnownIssue {
      await store.send(.closeTapped).finish()
    } matching: { issue in
      issue.description.contains("wanted to be dismissed at \"StoreActorTests/Navigation")
        && issue.description.contains("but it is not presented")
        && issue.description.contains("isPresented")
    }
  }

  @Test("A test may override dismiss at the root, and children still dismiss themselves")
  func dismissOverride() async {
    let log = Log()
    let store = Store(initialState: PaperSheet.State(id: 1)) {
      PaperSheet()
    } withDependencies: {
      $0.dismiss = DismissEffect { log("dismissed") }
    }
    await store.send(.closeTapped).finish()
    #expect(log.all == ["dismissed"])
    let desk = Store(initialState: Desk.State(sheet: PaperSheet.State(id: 1))) {
      Desk()
    } withDependencies: {
      $0.dismiss = DismissEffect { log("dismissed the desk") }
    }
    await desk.send(.sheet(.presented(.closeTapped))).finish()
    #expect(desk.sheet == nil)
    #expect(log.all == ["dismissed"])
  }

  @Test("A child's own override of dismiss applies")
  func dismissOverrideOfChild() async {
    let log = Log()
    let store = Store(initialState: Desk.State(sheet: PaperSheet.State(id: 1))) {
      Reduce<Desk.State, Desk.Action> { _, _ in .none }
        .ifLet(\.$sheet, action: \.sheet) {
          PaperSheet().dependency(\.dismiss, DismissEffect { log("asked") })
        }
    }
    await store.send(.sheet(.presented(.closeTapped))).finish()
    #expect(store.sheet != nil)
    #expect(log.all == ["asked"])
  }

  @Test("A dismiss that outlives its effect is reported")
  func dismissTooLate() async {
    let kept = LockIsolated<DismissEffect?>(nil)
    let store = Store(initialState: Desk.State(sheet: PaperSheet.State(id: 1))) {
      Reduce<Desk.State, Desk.Action> { _, _ in .none }
        .ifLet(\.$sheet, action: \.sheet) {
          Reduce<PaperSheet.State, PaperSheet.Action> { _, _ in
            @Dependency(\.dismiss) var dismiss
            kept.setValue(dismiss)
            return .none
          }
        }
    }
    store.send(.sheet(.presented(.look)))
    await withKnownIssue {
      await kept.value?()
    } matching: { issue in
      issue.description.contains("none of the effects of the action that led there was running")
    }
    #expect(store.sheet != nil)
  }

  @Test("An action for a child that is absent is reported, and the parent still sees it")
  func absent() {
    let store = desk(sheet: nil)
    for action in [Desk.Action.sheet(.dismiss), .sheet(.presented(.tick))] {
      withKnownIssue {
        _ = store.send(action)
      } matching: { issue in
        issue.description.contains("An \"ifLet\" at \"StoreActorTests/NavigationFixtures.swift:")
          && issue.description.contains(
            "received a presentation action when the destination's state was absent."
          )
          && issue.description.contains("A parent reducer set the destination's state to nil")
      }
    }
    #expect(store.sheetWasThere == false)
  }

  @Test("One case of a destination can be presented by itself")
  func oneCase() {
    let state = Lobby.State(destination: .sheet(PaperSheet.State(id: 1)))
    let store = Store(initialState: state) {
      Reduce<Lobby.State, Lobby.Action> { _, _ in .none }
        .ifLet(\.$destination.sheet, action: \.destination.sheet) {
          PaperSheet()
        }
    }
    store.send(.destination(.presented(.sheet(.tick))))
    #expect(store.destination?.sheet?.ticks == 1)
    store.send(.destination(.dismiss))
    #expect(store.destination == nil)
  }
}

@Suite("Presented alerts")
@MainActor
struct EphemeralTests {
  @Test("An alert is dismissed after its action, which the parent has handled")
  func alert() async {
    let store = TestStore(initialState: PaperSheet.State(id: 1)) { PaperSheet() }
    await store.send(.deleteTapped) { $0.alert = .confirm(id: 1) }
    await store.send(\.alert.confirm) { $0.alert = nil }
    await store.receive(\.deleted)
    await store.send(.deleteTapped) { $0.alert = .confirm(id: 1) }
    await store.send(\.alert.dismiss) { $0.alert = nil }
  }

  @Test("An alert that the parent shows because of the action stays, even with the same content")
  func replaced() async {
    let store = TestStore(initialState: PaperSheet.State(id: 1)) { PaperSheet() }
    await store.send(.deleteTapped) { $0.alert = .confirm(id: 1) }
    await store.send(\.alert.again)
    #expect(store.state.alert == .confirm(id: 1))
  }

  @Test("A destination is dismissed with its alert's action, and with no other action")
  func destination() {
    let store = Store(initialState: Lobby.State(destination: .alert(.cases))) { Lobby() }
    store.send(.destination(.presented(.alert(.confirm))))
    #expect(store.destination == nil)
    store.send(.go(.sheet(PaperSheet.State(id: 1))))
    store.send(.destination(.presented(.sheet(.tick))))
    #expect(store.destination?.sheet?.ticks == 1)
  }

  @Test("A plain optional alert is also dismissed after its action")
  func optional() {
    let dialog = ConfirmationDialogState<String>(title: TextState("Save?"))
    let store = Store(initialState: Plain.State(dialog: dialog)) { Plain() }
    store.send(.dialog("save"))
    #expect(store.dialog == nil)
  }
}

extension AlertState<Destination.Action.Alert> {
  static var cases: Self {
    AlertState {
      TextState("Sure?")
    } actions: {
      ButtonState(action: .confirm) { TextState("Yes") }
    }
  }
}

/// A parent of a parent.
struct Building: Reducer {
  struct State: Equatable, Sendable {
    @PresentationState var desk: Desk.State?
  }
  @CasePathable
  enum Action: Equatable, Sendable {
    case desk(PresentationAction<Desk.Action>)
  }
  var body: some ReducerOf<Self> {
    EmptyReducer().ifLet(\.$desk, action: \.desk) { Desk() }
  }
}

/// A feature with a plain optional dialog.
struct Plain: Reducer {
  struct State { var dialog: ConfirmationDialogState<String>? }
  @CasePathable
  enum Action {
    case dialog(String)
  }
  var body: some ReducerOf<Self> {
    EmptyReducer().ifLet(\.dialog, action: \.dialog)
  }
}

/// After it is opened, releases its waiters, even if they are cancelled.
final class Gate: Sendable {
  private let (stream, continuation) = AsyncStream<Never>.makeStream()

  func open() {
    continuation.finish()
  }

  func wait() async {
    // A separate task, which is not cancelled with the waiter.
    await Task { [stream] in for await _ in stream {} }.value
  }
}
