import StoreActor
import Testing

@Suite("Shared state written for the original", .timeLimit(.minutes(1)))
@MainActor
struct OriginalSharedStateTests {
  @Test("Two tabs show one counter, in one step")
  func tabs() async {
    let store = TestStore(initialState: Tabs.State()) { Tabs() }
    for _ in 1...3 {
      await store.send(.counter(.incrementButtonTapped)) {
        $0.counter.$stats.withLock { $0.increment() }
      }
    }
    #expect(store.state.statistics.stats.maximum == 3)
    await store.send(.counter(.isBigButtonTapped)) {
      $0.counter.alert = AlertState { TextState("3 is big") }
    }
    await store.send(.counter(.alert(.dismiss))) { $0.counter.alert = nil }
    await store.send(.selectTab(.statistics)) { $0.currentTab = .statistics }
    await store.send(.statistics(.resetButtonTapped)) {
      $0.statistics.$stats.withLock { $0 = Stats() }
    }
    await store.send(.counter(.decrementButtonTapped)) {
      $0.counter.$stats.withLock { $0.decrement() }
      #expect($0.statistics.stats.count == -1)
    }
  }

  @Test("A panel shows settings from a file and from the user's defaults")
  func preferences() async {
    @Shared(.preferences) var preferences
    $preferences.withLock { $0.volume = 9 }
    let store = TestStore(initialState: PreferencesPanel.State()) { PreferencesPanel() }
    #expect(store.state.preferences.volume == 9)
    await store.send(.darkSwitched(true)) { $0.$isDark.withLock { $0 = true } }
    await store.send(.loudSwitched) { $0.$preferences.withLock { $0.isLoud = true } }
    await store.send(.volumeButtonTapped) {
      $0.volume = VolumeKnob.State(volume: $0.$preferences.volume)
    }
    await store.send(.volume(.turned(by: 5))) {
      $0.volume?.$volume.withLock { $0 = 10 }
      #expect($0.preferences.volume == 10)
    }
    #expect(preferences == Preferences(isLoud: true, volume: 10))
    $preferences.withLock { $0.volume = 1 }
    store.assert { $0.$preferences.volume.withLock { $0 = 1 } }
    @Dependency(\.defaultAppStorage) var settings
    #expect(settings.bool(forKey: "isDark"))
    settings.set("Blob Jr.", forKey: "name")
    store.assert {
      // The state only reads it, so its source is changed.
      Shared(wrappedValue: "Blob", .appStorage("name")).withLock { $0 = "Blob Jr." }
      #expect($0.name == "Blob Jr.")
    }
  }

  @Test("A record is added in a sheet, edited in a stack, and deleted on its screen")
  func recipes() async throws {
    let store = TestStore(initialState: RecipeBook.State()) {
      RecipeBook()
    } withDependencies: {
      $0.uuid = .incrementing
    }
    let soup = Recipe(id: UUID(0), title: "Soup")
    await store.send(.addButtonTapped) {
      $0.addRecipe = RecipeForm.State(recipe: Recipe(id: UUID(0)))
    }
    await store.send(\.addRecipe.binding.recipe, soup) { $0.addRecipe?.recipe = soup }
    await store.send(.confirmAddButtonTapped) {
      $0.addRecipe = nil
      $0.$recipes.withLock { $0 = [soup] }
    }

    await store.send(.recipeTapped(id: soup.id)) {
      let recipe = try #require(Shared($0.$recipes[id: soup.id]))
      $0.path[id: 0] = .detail(RecipeDetail.State(recipe: recipe))
    }
    await store.send(\.path[id: 0].detail.editButtonTapped) {
      $0.path[id: 0, case: \.detail]?.form = RecipeForm.State(recipe: soup)
    }
    let stew = Recipe(id: soup.id, title: "Stew", servings: 4)
    await store.send(\.path[id: 0].detail.form.binding.recipe, stew) {
      $0.path[id: 0, case: \.detail]?.form?.recipe = stew
    }
    await store.send(\.path[id: 0].detail.doneEditingButtonTapped) {
      $0.path[id: 0, case: \.detail]?.form = nil
      $0.path[id: 0, case: \.detail]?.$recipe.withLock { $0 = stew }
    }
    #expect(store.state.recipes == [stew])

    await store.send(\.path[id: 0].detail.cookedForMore)
    await store.finish()
    store.assert { $0.$recipes.withLock { $0[id: soup.id]?.servings = 5 } }

    await store.send(\.path[id: 0].detail.deleteButtonTapped) {
      $0.$recipes.withLock { $0 = [] }
    }
    await store.receive(\.path.popFrom) { $0.path = StackState() }
  }

  @Test("A file's content is visible only in later tests with the same files")
  func files() async throws {
    let files = LockIsolated<[URL: Data]>([:])
    try await withDependencies {
      $0.defaultFileStorage = .inMemory(files: files)
      $0.uuid = .incrementing
    } operation: {
      let store = TestStore(initialState: RecipeBook.State()) { RecipeBook() }
      let recipe = Recipe(id: UUID(0))
      await store.send(.addButtonTapped) { $0.addRecipe = RecipeForm.State(recipe: recipe) }
      await store.send(.confirmAddButtonTapped) {
        $0.addRecipe = nil
        $0.$recipes.withLock { $0 = [recipe] }
      }
      let file = try #require(files.value.values.first)
      let kept = try JSONDecoder().decode(IdentifiedArrayOf<Recipe>.self, from: file)
      #expect(kept == [recipe])
    }
    #expect(RecipeBook.State().recipes == [])
  }
}
