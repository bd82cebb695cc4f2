package import StoreActor

/// A print farm: any number of people add jobs, and one daemon prints them on its printers.
@Reducer
package struct Farm {
  /// The state that all clients see.
  @ObservableState
  package struct State: DurableState, Equatable, ReplicatedState, Sendable {
    package var printers: IdentifiedArrayOf<Printer> = []
    /// The queue, oldest first.
    package var jobs: IdentifiedArrayOf<Job.State> = []
    /// The settings, which operators change from their own processes.
    @Shared(.store("settings")) package var settings = Settings()
    package var nextNumber = 1

    package init(printers: Int) {
      for id in 1...printers { self.printers.append(Printer(id: id)) }
    }
  }

  /// The actions that clients may send.
  package enum ViewAction: Equatable, Sendable, WireAction {
    case addButtonTapped(file: String, layers: Int)
    case jobs(IdentifiedActionOf<Job>)
  }

  /// The action of the schedule, which is on the disk until it is due.
  package enum ReducerAction: DurableAction, Equatable, Sendable {
    case maintenanceDue
  }

  static let mostJobs = 100

  @Dependency(\.date) private var date

  package init() {}

  package var body: some ReducerOf<Self> {
    Reduce(reduce)
      .forEach(\.jobs, action: \.jobs) { Job() }
      .onStart { _, start in
        // A schedule continues by itself after a restart.
        start.hasSchedule("maintenance") ? .none : scheduleMaintenance()
      }
  }

  private func reduce(_ state: inout State, _ action: Action) -> Effect<Action> {
    switch action {
    case .addButtonTapped(let file, let layers):
      return add(file, layers, &state)

    case .jobs(.element(let id, let action)):
      return follow(id, action, &state)

    case .maintenanceDue:
      state.jobs.removeAll(where: \.isOver)
      for printer in state.printers where printer.job == nil {
        state.printers[id: printer.id]?.layers = 0
      }
      return scheduleMaintenance()
    }
  }

  private func add(_ file: String, _ layers: Int, _ state: inout State) -> Effect<Action> {
    // No reducer validates an edit of a shared value: the limit may be any number.
    let limit = state.settings.mostLayers
    guard limit >= 1 else { return .refuse("The farm is closed.", code: "closed") }
    guard (1...limit).contains(layers) else {
      return .refuse("A job has 1 to \(limit) layers.", code: "layers")
    }
    guard state.jobs.count < Self.mostJobs else {
      return .refuse("There are \(Self.mostJobs) jobs.", code: "full")
    }
    let number = state.nextNumber
    state.nextNumber += 1
    state.jobs.append(Job.State(id: number, file: file, layers: layers))
    return .merge(.reply(number), beginNext(&state))
  }

  /// Follows a job's action, which the job has already reduced.
  private func follow(_ id: Int, _ action: Job.Action, _ state: inout State) -> Effect<Action> {
    if let printer = state.printers.first(where: { $0.job == id })?.id {
      if action == .layerPrinted { state.printers[id: printer]?.layers += 1 }
      if state.jobs[id: id]?.isOver == true { state.printers[id: printer]?.job = nil }
    }
    return beginNext(&state)
  }

  /// Gives the oldest waiting job to a free printer.
  ///
  /// This feature then follows the job's action, and begins the next job.
  private func beginNext(_ state: inout State) -> Effect<Action> {
    guard let printer = state.printers.first(where: { $0.job == nil }),
      let job = state.jobs.first(where: { $0.status == .waiting })
    else { return .none }
    state.printers[id: printer.id]?.job = job.id
    return .send(.jobs(.element(id: job.id, action: .began)))
  }

  /// Schedules the next maintenance, at midnight in UTC.
  private func scheduleMaintenance() -> Effect<Action> {
    let day = 86_400.0
    let days = (date.now.timeIntervalSinceReferenceDate / day).rounded(.down) + 1
    let midnight = Date(timeIntervalSinceReferenceDate: days * day)
    return .schedule(id: "maintenance", at: midnight, .maintenanceDue)
  }
}

/// A printer of the farm.
@ObservableState
package struct Printer: Equatable, Identifiable, ReplicatedState, Sendable {
  package let id: Int
  package var job: Int?
  /// The number of layers since the last maintenance.
  package var layers = 0
}

/// The settings of a farm.
@ObservableState
package struct Settings: Equatable, ReplicatedState, Sendable {
  /// The greatest number of layers of a job; less than 1 closes the farm.
  package var mostLayers = 500

  package init() {}
}
