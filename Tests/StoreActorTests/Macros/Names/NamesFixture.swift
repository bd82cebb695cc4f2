import StoreActor

/// States and actions that use every name of generated code, and of its protocols.
enum NamesFixture {}

extension NamesFixture {
  /// A record with a property of each name.
  @ObservableState
  struct Record: Equatable, ReplicatedState {
    var action = 1
    var admitsNull = 1
    var allCasePaths = 1
    var allCases = 1
    var applyDelta = 1
    var applying = 1
    var `as` = 1
    var async = 1
    var await = 1
    var body = 1
    var cancel = 1
    var `case` = 1
    var cases = 1
    var `catch` = 1
    var changed = 1
    var changes = 1
    var changing = 1
    var choice = 1
    var choices = 1
    var core = 1
    var count = 1
    var decode = 1
    var decoder = 1
    var `default` = 1
    var `defer` = 1
    var delta = 1
    var description = 1
    var digest = 1
    var `do` = 1
    var effect = 1
    var element = 1
    var `else` = 1
    var encode = 1
    var encodeDelta = 1
    var encoded = 1
    var encoder = 1
    var equalsItself = 1
    var error = 1
    var `extension` = 1
    var fields = 1
    var filter = 1
    var finish = 1
    var first = 1
    var `for` = 1
    var `func` = 1
    var `guard` = 1
    var hash = 1
    var hashValue = 1
    var `if` = 1
    var `in` = 1
    var index = 1
    var `init` = 1
    var `is` = 1
    var isEmpty = 1
    var isSame = 1
    var iterator = 1
    var kind = 1
    var list = 1
    var map = 1
    var merge = 1
    var modify = 1
    var names = 1
    var node = 1
    var none = 1
    var old = 1
    var other = 1
    var part = 1
    var part0 = 1
    var path = 1
    var place = 1
    var `protocol` = 1
    var rawValue = 1
    var reader = 1
    var receive = 1
    var reduce = 1
    var registry = 1
    var `repeat` = 1
    var result = 1
    var root = 1
    var run = 1
    var schema = 1
    var scope = 1
    var send = 1
    var some = 1
    var state = 1
    var store = 1
    var `subscript` = 1
    var `switch` = 1
    var tag = 1
    var `throws` = 1
    var tree = 1
    var `try` = 1
    var v0 = 1
    var value = 1
    var values = 1
    var `where` = 1
    var `while` = 1
    var writer = 1
  }

  /// A choice with a case of each name.
  @CasePathable
  @dynamicMemberLookup
  @ObservableState
  enum Choice: Equatable, ReplicatedState {
    case action(Int)
    case admitsNull(Int)
    case allCasePaths(Int)
    case allCases(Int)
    case applyDelta(Int)
    case applying(Int)
    case `as`(Int)
    case async(Int)
    case await(Int)
    case body(Int)
    case cancel(Int)
    case `case`(Int)
    case cases(Int)
    case `catch`(Int)
    case changed(Int)
    case changes(Int)
    case changing(Int)
    case choice(Int)
    case choices(Int)
    case core(Int)
    case count(Int)
    case decode(Int)
    case decoder(Int)
    case `default`(Int)
    case `defer`(Int)
    case delta(Int)
    case description(Int)
    case digest(Int)
    case `do`(Int)
    case effect(Int)
    case element(Int)
    case `else`(Int)
    case encode(Int)
    case encodeDelta(Int)
    case encoded(Int)
    case encoder(Int)
    case equalsItself(Int)
    case error(Int)
    case `extension`(Int)
    case fields(Int)
    case filter(Int)
    case finish(Int)
    case first(Int)
    case `for`(Int)
    case `func`(Int)
    case `guard`(Int)
    case hash(Int)
    case hashValue(Int)
    case `if`(Int)
    case `in`(Int)
    case index(Int)
    case `init`(Int)
    case `is`(Int)
    case isEmpty(Int)
    case isSame(Int)
    case iterator(Int)
    case kind(Int)
    case list(Int)
    case map(Int)
    case merge(Int)
    case modify(Int)
    case names(Int)
    case node(Int)
    case none(Int)
    case old(Int)
    case other(Int)
    case part(Int)
    case part0(Int)
    case path(Int)
    case place(Int)
    case `protocol`(Int)
    case rawValue(Int)
    case reader(Int)
    case receive(Int)
    case reduce(Int)
    case registry(Int)
    case `repeat`(Int)
    case result(Int)
    case root(Int)
    case run(Int)
    case schema(Int)
    case scope(Int)
    case send(Int)
    case some(Int)
    case state(Int)
    case store(Int)
    case `subscript`(Int)
    case `switch`(Int)
    case tag(Int)
    case `throws`(Int)
    case tree(Int)
    case `try`(Int)
    case v0(Int)
    case value(Int)
    case values(Int)
    case `where`(Int)
    case `while`(Int)
    case writer(Int)
  }

  /// A choice of cases without values.
  @CasePathable
  @dynamicMemberLookup
  @ObservableState
  enum Plain: Equatable, ReplicatedState {
    case admitsNull
    case applyDelta
    case applying
    case delta
    case digest
    case encode
    case encodeDelta
    case encoded
    case equalsItself
    case hash
    case hashValue
    case isSame
    case schema
    case body
    case reduce
    case scope
    case `is`
  }

  /// Actions of each name.
  @CasePathable
  @dynamicMemberLookup
  enum Action: Equatable, WireAction {
    case action(Int)
    case admitsNull(Int)
    case allCasePaths(Int)
    case allCases(Int)
    case applyDelta(Int)
    case applying(Int)
    case `as`(Int)
    case async(Int)
    case await(Int)
    case body(Int)
    case cancel(Int)
    case `case`(Int)
    case cases(Int)
    case `catch`(Int)
    case changed(Int)
    case changes(Int)
    case changing(Int)
    case choice(Int)
    case choices(Int)
    case core(Int)
    case count(Int)
    case decode(Int)
    case decoder(Int)
    case `default`(Int)
    case `defer`(Int)
    case delta(Int)
    case description(Int)
    case digest(Int)
    case `do`(Int)
    case effect(Int)
    case element(Int)
    case `else`(Int)
    case encode(Int)
    case encodeDelta(Int)
    case encoded(Int)
    case encoder(Int)
    case equalsItself(Int)
    case error(Int)
    case `extension`(Int)
    case fields(Int)
    case filter(Int)
    case finish(Int)
    case first(Int)
    case `for`(Int)
    case `func`(Int)
    case `guard`(Int)
    case hash(Int)
    case hashValue(Int)
    case `if`(Int)
    case `in`(Int)
    case index(Int)
    case `init`(Int)
    case `is`(Int)
    case isEmpty(Int)
    case isSame(Int)
    case iterator(Int)
    case kind(Int)
    case list(Int)
    case map(Int)
    case merge(Int)
    case modify(Int)
    case names(Int)
    case node(Int)
    case none(Int)
    case old(Int)
    case other(Int)
    case part(Int)
    case part0(Int)
    case path(Int)
    case place(Int)
    case `protocol`(Int)
    case rawValue(Int)
    case reader(Int)
    case receive(Int)
    case reduce(Int)
    case registry(Int)
    case `repeat`(Int)
    case result(Int)
    case root(Int)
    case run(Int)
    case schema(Int)
    case scope(Int)
    case send(Int)
    case some(Int)
    case state(Int)
    case store(Int)
    case `subscript`(Int)
    case `switch`(Int)
    case tag(Int)
    case `throws`(Int)
    case tree(Int)
    case `try`(Int)
    case v0(Int)
    case value(Int)
    case values(Int)
    case `where`(Int)
    case `while`(Int)
    case writer(Int)
  }

  /// Actions without values.
  @CasePathable
  enum PlainAction: Hashable, WireAction {
    case admitsNull
    case applyDelta
    case applying
    case delta
    case digest
    case encode
    case encodeDelta
    case encoded
    case equalsItself
    case hash
    case hashValue
    case isSame
    case schema
    case body
    case reduce
    case scope
    case `is`
  }

  /// A feature with one instance for each name.
  @Reducer
  struct Leaf {
    @ObservableState
    struct State: Equatable, ReplicatedState { var count = 0 }
    enum Action: Equatable, WireAction { case up }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.count += 1
        return .none
      }
    }
  }

  /// A feature with a case for each requirement's name.
  @Reducer(state: .equatable, .replicatedState, action: .equatable, .wireAction)
  enum Features {
    case admitsNull(Leaf)
    case applyDelta(Leaf)
    case applying(Leaf)
    case delta(Leaf)
    case digest(Leaf)
    case encode(Leaf)
    case encodeDelta(Leaf)
    case encoded(Leaf)
    case equalsItself(Leaf)
    case hash(Leaf)
    case hashValue(Leaf)
    case isSame(Leaf)
    case schema(Leaf)
    case body(Leaf)
    case reduce(Leaf)
    case scope(Leaf)
    case `is`(Leaf)
    case modify(Leaf)
  }

  /// An enum feature with a case of each name, without features in the cases.
  @Reducer(state: .equatable, .replicatedState, action: .equatable, .wireAction)
  enum Bare {
    case admitsNull
    case applyDelta
    case applying
    case delta
    case digest
    case encode
    case encodeDelta
    case encoded
    case equalsItself
    case hash
    case hashValue
    case isSame
    case schema
    case reduce
    case scope
    case `is`
    case modify
  }
}
