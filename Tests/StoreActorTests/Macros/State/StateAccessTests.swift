public import StoreActor
import StoreState
import Testing

/// Contains types of every visibility.
public enum AccessFixture {
  /// A public choice for a field.
  public enum Kind: String, CaseIterable, ReplicatedState { case plain, special }

  /// A public state.
  @ObservableState
  public struct State: Equatable, ReplicatedState {
    /// A public constant.
    public let id: UUID
    /// A property of an outer type, whose default is also resolved there.
    public var kind = Kind.plain
    /// A child.
    @Presents public var child: Generated2.State?
    private let secret: Int
    @ReplicationIgnored var visits = 3

    /// Creates a state.
    public init(id: UUID, secret: Int = 1) {
      self.id = id
      self.secret = secret
    }

    var told: Int { secret }
  }

  /// A child feature.
  public enum Generated2 {
    /// The state of the feature.
    @ObservableState
    public struct State: Equatable, ReplicatedState {
      /// A number that is observed.
      public var number = 0 {
        didSet { changes += 1 }
      }
      @ReplicationIgnored var changes = 0
    }
  }
}

extension AccessFixture {
  /// A public choice.
  @ObservableState
  public enum Path: Equatable, ReplicatedState { case only(AccessFixture.Generated2.State) }

  @ObservableState
  package enum Alone: Equatable, ReplicatedState { case alone }

  @ObservableState
  struct Nothing: Equatable, ReplicatedState {}

  @ObservableState
  enum Never: ReplicatedState {}
}

/// A feature that is private to the file.
@Reducer
private struct HiddenFeature {
  @ObservableState
  struct State: Equatable, ReplicatedState {
    var count = 0
    var choice = Choice.none

    @ObservableState
    enum Choice: Equatable, ReplicatedState {
      case none
      case some(Int)
    }
  }
  enum Action: WireAction { case tapped }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

@Suite("States of every visibility")
struct StateAccessTests {
  @Test("A public state with constants, including private ones, is copied")
  func constants() throws {
    var state = AccessFixture.State(id: UUID(1), secret: 8)
    state.kind = .special
    state.visits = 9
    let copy = try AccessFixture.State(encoded: state.encoded())
    #expect(copy.told == 8)
    #expect(copy.kind == .special)
    #expect(copy.visits == 3)
    let other = AccessFixture.State(id: UUID(2), secret: 9)
    let delta = try #require(other.delta(from: state))
    let applied = try state.applying(delta: delta)
    #expect(applied.id == UUID(2))
    #expect(applied.told == 9)
    #expect(applied.visits == 9)
  }

  @Test("A choice of one case changes in place, and one without cases has no values")
  func choices() throws {
    var child = AccessFixture.Generated2.State()
    let old = AccessFixture.Path.only(child)
    child.number = 4
    let new = AccessFixture.Path.only(child)
    let delta = try #require(new.delta(from: old))
    #expect(delta == [0x82, 0x01, 0xa1, 0x00, 0xa1, 0x00, 0x04])
    #expect(try old.applying(delta: delta)._$isSame(as: new))
    #expect(AccessFixture.Alone.alone.delta(from: .alone) == nil)
    let error = ReplicatedRecordTests.failure { try AccessFixture.Never(encoded: [0x61, 0x78]) }
    #expect(error?.code == .unknownName)
  }

  @Test("A record without fields is an empty map")
  func empty() throws {
    #expect(AccessFixture.Nothing().encoded() == [0xa0])
    #expect(try AccessFixture.Nothing(encoded: [0xa0]) == AccessFixture.Nothing())
    #expect(AccessFixture.Nothing().delta(from: AccessFixture.Nothing()) == nil)
    #expect(AccessFixture.Nothing()._$digest == (try Digest.of(canonical: [0xa0])))
    let error = ReplicatedRecordTests.failure {
      try AccessFixture.Nothing(encoded: [0xa1, 0x61, 0x78, 0x00])
    }
    #expect(error?.code == .unknownName)
  }

  @Test("The state of a private feature is copied, and the feature runs")
  @MainActor
  func hidden() throws {
    let store = Store(initialState: HiddenFeature.State(choice: .some(4))) { HiddenFeature() }
    store.send(.tapped)
    #expect(store.count == 1)
    let state = store.withState { $0 }
    #expect(try HiddenFeature.State(encoded: state.encoded()) == state)
    let delta = try #require(state.delta(from: HiddenFeature.State(count: 1)))
    #expect(try HiddenFeature.State(count: 1).applying(delta: delta) == state)
  }

  @Test("Schemas have their types' names; a feature's state has the feature's name")
  func names() {
    #expect(SchemaRegistry.document(for: AccessFixture.State.self).root == .named("AccessFixture"))
    #expect(
      SchemaRegistry.document(for: AccessFixture.Path.self).root == .named("AccessFixture.Path")
    )
  }
}
