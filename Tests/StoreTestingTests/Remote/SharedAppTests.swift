import StoreActor
import StoreTesting
import Testing

/// Apps with shared state, each in one process and in a daemon, with one test for both.
@Suite("Apps with shared state, here and in a daemon", .dependencies, .timeLimit(.minutes(1)))
@MainActor
struct SharedAppTests {
  private func shelf(isRemote: Bool) -> TestStoreOf<FilmShelf> {
    func prepare(_ values: inout DependencyValues) { values.uuid = .incrementing }
    let shelf = FilmShelf()
    return isRemote
      ? TestStore(remote: FilmShelf.State(), reducer: { shelf }, withDependencies: prepare)
      : TestStore(initialState: FilmShelf.State(), reducer: { shelf }, withDependencies: prepare)
  }

  @Test("A record is added in a sheet", arguments: [false, true])
  func sheet(isRemote: Bool) async throws {
    let store = shelf(isRemote: isRemote)
    let film = Film(id: UUID(0), title: "Alien", stars: 4)
    await store.send(.addButtonTapped) {
      $0.newFilm = FilmForm.State(film: Film(id: UUID(0)))
    }
    await store.send(\.newFilm.binding.film, film) { $0.newFilm?.film = film }
    await store.send(.confirmButtonTapped) {
      $0.newFilm = nil
      $0.$films.withLock { $0 = [film] }
    }
    @Shared(.films) var films
    #expect(films == [film])
  }

  @Test("A record is edited in a stack, and deleted on its screen", arguments: [false, true])
  func stack(isRemote: Bool) async throws {
    let film = Film(id: UUID(0), title: "Alien")
    @Shared(.films) var films
    $films.withLock { $0 = [film] }
    let store = shelf(isRemote: isRemote)
    await store.send(.filmTapped(id: film.id)) {
      let film = try #require(Shared($0.$films[id: film.id]))
      $0.path[id: 0] = .detail(FilmDetail.State(film: film))
    }
    await store.send(\.path[id: 0].detail.editButtonTapped) {
      $0.path[id: 0, case: \.detail]?.form = FilmForm.State(film: film)
    }
    let edited = Film(id: film.id, title: "Aliens", stars: 5)
    await store.send(\.path[id: 0].detail.form.binding.film, edited) {
      $0.path[id: 0, case: \.detail]?.form?.film = edited
    }
    await store.send(\.path[id: 0].detail.doneEditingButtonTapped) {
      $0.path[id: 0, case: \.detail]?.form = nil
      $0.path[id: 0, case: \.detail]?.$film.withLock { $0 = edited }
      #expect($0.films == [edited])
    }

    await store.send(\.path[id: 0].detail.likedByOthers)
    await store.finish()
    store.assert { $0.$films.withLock { $0[id: film.id]?.stars = 6 } }

    await store.send(\.path[id: 0].detail.deleteButtonTapped) { $0.$films.withLock { $0 = [] } }
    await store.receive(\.path.popFrom) { $0.path = StackState() }
    #expect(films == [])
  }

  @Test(
    "A panel shows settings from a file and from the user's defaults",
    arguments: [false, true],
  )
  func settings(isRemote: Bool) async {
    @Shared(.sound) var sound
    $sound.withLock { $0.volume = 9 }
    let store =
      isRemote
      ? TestStore(remote: SettingsPanel.State()) { SettingsPanel() }
      : TestStore(initialState: SettingsPanel.State()) { SettingsPanel() }
    #expect(store.state.sound.volume == 9)
    await store.send(.darkSwitched(true)) { $0.$isDark.withLock { $0 = true } }
    await store.send(.loudSwitched) { $0.$sound.withLock { $0.isLoud = true } }
    await store.send(.knobButtonTapped) {
      $0.knob = SettingsPanel.Knob.State(volume: $0.$sound.volume)
    }
    await store.send(.knob(.turned(by: 5))) {
      $0.knob?.$volume.withLock { $0 = 10 }
      #expect($0.sound.volume == 10)
    }
    $sound.withLock { $0.volume = 1 }
    store.assert { $0.$sound.volume.withLock { $0 = 1 } }
    @Dependency(\.defaultAppStorage) var settings
    #expect(settings.bool(forKey: "isDark"))
    settings.set("Blob Jr.", forKey: "name")
    store.assert {
      Shared(wrappedValue: "Blob", .appStorage("name")).withLock { $0 = "Blob Jr." }
      #expect($0.name == "Blob Jr.")
    }
  }
}
