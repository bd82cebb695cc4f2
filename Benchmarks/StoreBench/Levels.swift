import StoreActor

// Ten nested features, written individually as in a program: a generic feature would measure the
// compiler's code for generics.

struct Level1: Reducer {
  struct State: Equatable, Sendable {
    var child = Leaf.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Leaf.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Leaf.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Leaf()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}

struct Level2: Reducer {
  struct State: Equatable, Sendable {
    var child = Level1.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Level1.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level1.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level1()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}

struct Level3: Reducer {
  struct State: Equatable, Sendable {
    var child = Level2.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Level2.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level2.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level2()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}

struct Level4: Reducer {
  struct State: Equatable, Sendable {
    var child = Level3.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Level3.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level3.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level3()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}

struct Level5: Reducer {
  struct State: Equatable, Sendable {
    var child = Level4.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Level4.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level4.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level4()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}

struct Level6: Reducer {
  struct State: Equatable, Sendable {
    var child = Level5.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Level5.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level5.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level5()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}

struct Level7: Reducer {
  struct State: Equatable, Sendable {
    var child = Level6.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Level6.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level6.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level6()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}

struct Level8: Reducer {
  struct State: Equatable, Sendable {
    var child = Level7.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Level7.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level7.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level7()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}

struct Level9: Reducer {
  struct State: Equatable, Sendable {
    var child = Level8.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Level8.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level8.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level8()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}

struct Level10: Reducer {
  struct State: Equatable, Sendable {
    var child = Level9.State()
    var own = 0
  }

  enum Action: Sendable, CasePathable {
    case child(Level9.Action)
    case own

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Level9.Action> {
        AnyCasePath(embed: Action.child) { if case .child(let it) = $0 { it } else { nil } }
      }
    }
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(\.child, action: \.child) {
      Level9()
    }
    Reduce { state, action in
      if case .own = action { state.own += 1 }
      return .none
    }
  }
}
