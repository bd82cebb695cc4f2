import StoreActor

// Shared state in its usual places: two tabs with one counter, settings in a file, and records in a
// file that a sheet adds and a stack of screens edits.

// MARK: - One counter in two tabs

@Reducer
struct Tabs {
  enum Tab { case counter, statistics }

  @ObservableState
  struct State: Equatable {
    var currentTab = Tab.counter
    var counter: CounterTab.State
    var statistics: StatisticsTab.State

    init(stats: Shared<Stats> = Shared(value: Stats())) {
      counter = CounterTab.State(stats: stats)
      statistics = StatisticsTab.State(stats: stats)
    }
  }

  enum Action {
    case counter(CounterTab.Action)
    case selectTab(Tab)
    case statistics(StatisticsTab.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.counter, action: \.counter) { CounterTab() }
    Scope(state: \.statistics, action: \.statistics) { StatisticsTab() }
    Reduce { state, action in
      if case .selectTab(let tab) = action { state.currentTab = tab }
      return .none
    }
  }
}

struct Stats: Codable, Equatable, Sendable {
  private(set) var count = 0
  private(set) var maximum = 0
  private(set) var changes = 0

  mutating func increment() {
    count += 1
    changes += 1
    maximum = max(maximum, count)
  }

  mutating func decrement() {
    count -= 1
    changes += 1
  }

  mutating func reset() { self = Stats() }
}

@Reducer
struct CounterTab {
  @ObservableState
  struct State: Equatable {
    @Shared var stats: Stats
    @Presents var alert: AlertState<Action.Alert>?
  }

  enum Action {
    case alert(PresentationAction<Alert>)
    case decrementButtonTapped
    case incrementButtonTapped
    case isBigButtonTapped

    enum Alert: Equatable {}
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .alert:
        return .none
      case .decrementButtonTapped:
        state.$stats.withLock { $0.decrement() }
        return .none
      case .incrementButtonTapped:
        state.$stats.withLock { $0.increment() }
        return .none
      case .isBigButtonTapped:
        state.alert = AlertState {
          TextState(state.stats.count > 2 ? "\(state.stats.count) is big" : "Not yet")
        }
        return .none
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

@Reducer
struct StatisticsTab {
  @ObservableState
  struct State: Equatable {
    @Shared var stats: Stats
  }

  enum Action { case resetButtonTapped }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .resetButtonTapped:
        state.$stats.withLock { $0.reset() }
        return .none
      }
    }
  }
}

// MARK: - Settings in a file, and a switch among the user's defaults

struct Preferences: Codable, Equatable, Sendable {
  var isLoud = false
  var volume = 5
}

extension SharedKey where Self == FileStorageKey<Preferences>.Default {
  static var preferences: Self {
    Self[
      .fileStorage(URL(fileURLWithPath: "/preferences.json")),
      default: Preferences(),
    ]
  }
}

extension SharedKey where Self == AppStorageKey<Bool>.Default {
  static var isDark: Self { Self[.appStorage("isDark"), default: false] }
}

@Reducer
struct PreferencesPanel {
  @ObservableState
  struct State: Equatable {
    @Shared(.isDark) var isDark
    @Shared(.preferences) var preferences
    @SharedReader(.appStorage("name")) var name = "Blob"
    var volume: VolumeKnob.State?
  }

  enum Action {
    case darkSwitched(Bool)
    case loudSwitched
    case volume(VolumeKnob.Action)
    case volumeButtonTapped
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .darkSwitched(let isDark):
        state.$isDark.withLock { $0 = isDark }
        return .none
      case .loudSwitched:
        state.$preferences.isLoud.withLock { $0.toggle() }
        return .none
      case .volumeButtonTapped:
        state.volume = VolumeKnob.State(volume: state.$preferences.volume)
        return .none
      case .volume:
        return .none
      }
    }
    .ifLet(\.volume, action: \.volume) { VolumeKnob() }
  }
}

@Reducer
struct VolumeKnob {
  @ObservableState
  struct State: Equatable {
    @Shared var volume: Int
  }

  enum Action { case turned(by: Int) }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .turned(let steps):
        state.$volume.withLock { $0 = min(10, max(0, $0 + steps)) }
        return .none
      }
    }
  }
}

// MARK: - Records in a file, a sheet and a stack

struct Recipe: Codable, Equatable, Identifiable, Sendable {
  let id: UUID
  var title = ""
  var servings = 2
}

extension SharedKey where Self == FileStorageKey<IdentifiedArrayOf<Recipe>>.Default {
  static var recipes: Self {
    Self[.fileStorage(.documentsDirectory.appending(component: "recipes.json")), default: []]
  }
}

@Reducer
struct RecipeForm {
  @ObservableState
  struct State: Equatable {
    var recipe: Recipe
  }

  enum Action: BindableAction {
    case binding(BindingAction<State>)
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
  }
}

@Reducer
struct RecipeDetail {
  @ObservableState
  struct State: Equatable {
    @Presents var form: RecipeForm.State?
    @Shared var recipe: Recipe
  }

  enum Action {
    case cookedForMore
    case deleteButtonTapped
    case doneEditingButtonTapped
    case editButtonTapped
    case form(PresentationAction<RecipeForm.Action>)
  }

  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .cookedForMore:
        return .run { [servings = state.$recipe.servings] _ in
          servings.withLock { $0 += 1 }
        }
      case .deleteButtonTapped:
        @Shared(.recipes) var recipes
        $recipes.withLock { [id = state.recipe.id] in _ = $0.remove(id: id) }
        return .run { _ in await dismiss() }
      case .doneEditingButtonTapped:
        guard let form = state.form else { return .none }
        state.$recipe.withLock { $0 = form.recipe }
        state.form = nil
        return .none
      case .editButtonTapped:
        state.form = RecipeForm.State(recipe: state.recipe)
        return .none
      case .form:
        return .none
      }
    }
    .ifLet(\.$form, action: \.form) { RecipeForm() }
  }
}

@Reducer
struct RecipeBook {
  @Reducer
  enum Path {
    case detail(RecipeDetail)
  }

  @ObservableState
  struct State: Equatable {
    @Presents var addRecipe: RecipeForm.State?
    var path = StackState<Path.State>()
    @Shared(.recipes) var recipes
  }

  enum Action {
    case addButtonTapped
    case addRecipe(PresentationAction<RecipeForm.Action>)
    case confirmAddButtonTapped
    case path(StackActionOf<Path>)
    case recipeTapped(id: Recipe.ID)
  }

  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped:
        state.addRecipe = RecipeForm.State(recipe: Recipe(id: uuid()))
        return .none
      case .confirmAddButtonTapped:
        guard let recipe = state.addRecipe?.recipe else { return .none }
        state.addRecipe = nil
        state.$recipes.withLock { _ = $0.append(recipe) }
        return .none
      case .recipeTapped(let id):
        guard let recipe = Shared(state.$recipes[id: id]) else { return .none }
        state.path.append(.detail(RecipeDetail.State(recipe: recipe)))
        return .none
      case .addRecipe, .path:
        return .none
      }
    }
    .ifLet(\.$addRecipe, action: \.addRecipe) { RecipeForm() }
    .forEach(\.path, action: \.path)
  }
}

extension RecipeBook.Path.State: Equatable {}
