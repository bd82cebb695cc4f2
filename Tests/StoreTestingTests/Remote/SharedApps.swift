import StoreActor

// Apps with shared state, as in a daemon: records in a file that a sheet adds and a stack of
// screens edits, and settings in a file and among the user's defaults.

// MARK: - Records in a file, a sheet and a stack

@ObservableState
struct Film: Codable, Equatable, Identifiable, ReplicatedState, Sendable {
  let id: UUID
  var title = ""
  var stars = 3
}

extension SharedKey where Self == FileStorageKey<IdentifiedArrayOf<Film>>.Default {
  static var films: Self {
    Self[.fileStorage(URL(fileURLWithPath: "/films.json")), default: []]
  }
}

@Reducer
struct FilmForm {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    var film: Film
  }

  enum Action: BindableAction, Equatable, Sendable, WireAction {
    case binding(BindingAction<State>)
  }

  var body: some ReducerOf<Self> { BindingReducer() }
}

@Reducer
struct FilmDetail {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    @Shared var film: Film
    @Presents var form: FilmForm.State?
  }

  enum Action: Equatable, Sendable, WireAction {
    case deleteButtonTapped
    case doneEditingButtonTapped
    case editButtonTapped
    case form(PresentationAction<FilmForm.Action>)
    case likedByOthers
  }

  @Dependency(\.dismiss) private var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .deleteButtonTapped:
        @Shared(.films) var films
        $films.withLock { [id = state.film.id] in _ = $0.remove(id: id) }
        return .run { _ in await dismiss() }
      case .doneEditingButtonTapped:
        guard let form = state.form else { return .none }
        state.$film.withLock { $0 = form.film }
        state.form = nil
        return .none
      case .editButtonTapped:
        state.form = FilmForm.State(film: state.film)
        return .none
      case .form:
        return .none
      case .likedByOthers:
        return .run { [stars = state.$film.stars] _ in stars.withLock { $0 += 1 } }
      }
    }
    .ifLet(\.$form, action: \.form) { FilmForm() }
  }
}

@Reducer
struct FilmShelf {
  @Reducer(
    state: .equatable,
    .replicatedState,
    .sendable,
    action: .equatable,
    .wireAction,
    .sendable,
  )
  enum Path {
    case detail(FilmDetail)
  }

  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    @Shared(.films) var films
    @Presents var newFilm: FilmForm.State?
    var path = StackState<Path.State>()
  }

  enum Action: Equatable, Sendable, WireAction {
    case addButtonTapped
    case confirmButtonTapped
    case filmTapped(id: Film.ID)
    case newFilm(PresentationAction<FilmForm.Action>)
    case path(StackActionOf<Path>)
  }

  @Dependency(\.uuid) private var uuid

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped:
        state.newFilm = FilmForm.State(film: Film(id: uuid()))
      case .confirmButtonTapped:
        guard let film = state.newFilm?.film else { return .none }
        state.newFilm = nil
        state.$films.withLock { _ = $0.append(film) }
      case .filmTapped(let id):
        guard let film = Shared(state.$films[id: id]) else { return .none }
        state.path.append(.detail(FilmDetail.State(film: film)))
      case .newFilm, .path:
        break
      }
      return .none
    }
    .ifLet(\.$newFilm, action: \.newFilm) { FilmForm() }
    .forEach(\.path, action: \.path)
  }
}

// MARK: - Settings in a file, and a switch among the user's defaults

@ObservableState
struct SoundSettings: Codable, Equatable, ReplicatedState, Sendable {
  var isLoud = false
  var volume = 5
}

extension SharedKey where Self == FileStorageKey<SoundSettings>.Default {
  static var sound: Self {
    Self[.fileStorage(URL(fileURLWithPath: "/sound.json")), default: SoundSettings()]
  }
}

extension SharedKey where Self == AppStorageKey<Bool>.Default {
  static var isDark: Self { Self[.appStorage("isDark"), default: false] }
}

@Reducer
struct SettingsPanel {
  @ObservableState
  struct State: Equatable, ReplicatedState, Sendable {
    @Shared(.isDark) var isDark
    @Shared(.sound) var sound
    @SharedReader(.appStorage("name")) var name = "Blob"
    var knob: Knob.State?
  }

  enum Action: Equatable, Sendable, WireAction {
    case darkSwitched(Bool)
    case knob(Knob.Action)
    case knobButtonTapped
    case loudSwitched
  }

  @Reducer
  struct Knob {
    @ObservableState
    struct State: Equatable, ReplicatedState, Sendable {
      @Shared var volume: Int
    }

    enum Action: Equatable, Sendable, WireAction { case turned(by: Int) }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        guard case .turned(let steps) = action else { return .none }
        state.$volume.withLock { $0 = min(10, max(0, $0 + steps)) }
        return .none
      }
    }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .darkSwitched(let isDark): state.$isDark.withLock { $0 = isDark }
      case .knob: break
      case .knobButtonTapped: state.knob = Knob.State(volume: state.$sound.volume)
      case .loudSwitched: state.$sound.isLoud.withLock { $0.toggle() }
      }
      return .none
    }
    .ifLet(\.knob, action: \.knob) { Knob() }
  }
}
