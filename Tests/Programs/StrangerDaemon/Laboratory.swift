import StoreActor

/// A bench with samples on it and, at times, an experiment.
///
/// It has a value of every kind, so that a program without these types can be tested with all of
/// them.
struct Laboratory: Reducer {
  struct State: Equatable, Sendable {
    var site = Site()
    var oven = Oven.off
    var technician: String?
    var openedAt = Date(timeIntervalSinceReferenceDate: 0.5)
    var calibration = Data([0, 1, 254, 255])
    var humidity: [String: Double] = [:]
    var hazards: Set<Hazard> = []
    var samples: IdentifiedArrayOf<Sample.State> = []
    var experiment: Experiment.State?
  }

  struct Site: Equatable, Sendable {
    var name = "North wing"
    var place = Place()
  }

  struct Place: Equatable, Sendable {
    var latitude = 53.55
    var longitude = -0.0
  }

  enum Oven: Equatable, Sendable {
    case off
    case heating(target: Double, since: Date)
    case broken(String)
  }

  enum Hazard: String, CaseIterable, Sendable {
    case acid, heat, radiation
  }

  enum Action: Equatable, Sendable {
    case calibrated(Data)
    case experiment(Experiment.Action)
    case experimentEnded
    case experimentStarted(title: String)
    case hazardsMarked(Set<Hazard>)
    case humidityMeasured(room: String, percent: Double?)
    /// Schedules the next inspection, or all inspections from now on.
    case inspectionPlanned(milliseconds: Int, isRepeated: Bool)
    case moved(to: Place)
    case ovenSet(Oven)
    /// Sets the oven to off after a time; the daemon owns the wait.
    case ovenTimed(milliseconds: Int)
    case sampleTaken(id: Int, label: String)
    case samples(IdentifiedActionOf<Sample>)
    /// An empty name ends the daemon: the feature has a fault.
    case technicianCame(name: String?)
  }

  @Dependency(\.continuousClock) private var clock
  @Dependency(\.date) private var date
  var readingFactor = 1

  init(readingFactor: Int = 1) { self.readingFactor = readingFactor }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      Self.note(action, in: &state)
      if case .inspectionPlanned(let milliseconds, let isRepeated) = action {
        return inspections(after: milliseconds, isRepeated: isRepeated)
      }
      guard case .ovenTimed(let milliseconds) = action else { return .none }
      return .run(name: "oven", owner: .daemon) { [clock] send in
        try await clock.sleep(for: .milliseconds(milliseconds))
        await send(.ovenSet(.off))
      }
    }
    .onRestored { state, restoration in
      if restoration.interrupted("oven") { state.oven = .broken("interrupted") }
      return .none
    }
    .ifLet(\.experiment, action: \.experiment) {
      Experiment(readingFactor: readingFactor)
    }
    .forEach(\.samples, action: \.samples) {
      Sample()
    }
  }

  private func inspections(after milliseconds: Int, isRepeated: Bool) -> Effect<Action> {
    let inspection = Action.technicianCame(name: "inspector")
    return isRepeated
      ? .schedule(id: "inspection", every: .milliseconds(milliseconds), inspection)
      : .schedule(
        id: "inspection",
        at: date.now.addingTimeInterval(Double(milliseconds) / 1_000),
        inspection,
      )
  }

  private static func note(_ action: Action, in state: inout State) {
    switch action {
    case .calibrated(let data): state.calibration = data
    case .experiment, .inspectionPlanned, .samples: break
    case .experimentEnded: state.experiment = nil
    case .experimentStarted(let title): state.experiment = Experiment.State(title: title)
    case .hazardsMarked(let hazards): state.hazards = hazards
    case .humidityMeasured(let room, let percent): state.humidity[room] = percent
    case .moved(let place): state.site.place = place
    case .ovenSet(let oven): state.oven = oven
    case .ovenTimed: state.oven = .heating(target: 80, since: state.openedAt)
    case .sampleTaken(let id, let label):
      state.samples.updateOrAppend(Sample.State(id: id, label: label))
    case .technicianCame(let name):
      state.technician = name.map { $0[$0.startIndex].uppercased() + $0.dropFirst() }
    }
  }
}

/// The current experiment, which may be absent.
struct Experiment: Reducer {
  struct State: Equatable, Sendable {
    var title = ""
    var readings: [Int] = []
    var lasts = Duration.zero
  }

  enum Action: Equatable, Sendable {
    case readingTaken(Int)
    case prolonged(by: Duration)
  }

  var readingFactor = 1

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .readingTaken(let reading): state.readings.append(reading * readingFactor)
      case .prolonged(let duration): state.lasts += duration
      }
      return .none
    }
  }
}

/// A numbered glass with a substance.
struct Sample: Reducer {
  struct State: Equatable, Identifiable, Sendable {
    var id = 0
    var label = ""
    var isSealed = false
  }

  enum Action: Equatable, Sendable {
    case relabelled(String)
    case sealed
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .relabelled(let label):
        // The sender receives the sample as it was.
        let former = state
        state.label = label
        return .reply(former)
      case .sealed:
        guard !state.isSealed else {
          return .refuse("The sample is sealed.", code: "sealed", value: state.label)
        }
        state.isSealed = true
      }
      return .none
    }
  }
}
