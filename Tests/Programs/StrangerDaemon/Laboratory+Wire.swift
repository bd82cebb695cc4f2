import StoreActor

extension Laboratory.State: DurableState, ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Laboratory",
    [
      .field("site", \.site),
      .field("oven", \.oven),
      .field("technician", \.technician),
      .field("openedAt", \.openedAt),
      .field("calibration", \.calibration),
      .field("humidity", \.humidity),
      .field("hazards", \.hazards),
      .field("samples", \.samples),
      .field("experiment", \.experiment),
    ],
  )
}

extension Laboratory.Site: ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Site",
    [.field("name", \.name), .field("place", \.place)],
  )
}

extension Laboratory.Place: ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Place",
    [.field("latitude", \.latitude), .field("longitude", \.longitude)],
  )
}

extension Laboratory.Oven: ReplicatedChoice {
  static let layout = ChoiceLayout<Self>(
    "Oven",
    [
      .case("off", .off),
      .case("heating", "target", "since", embed: Self.heating(target:since:)) {
        if case .heating(let target, let since) = $0 { (target, since) } else { nil }
      },
      .case("broken", embed: Self.broken) {
        if case .broken(let reason) = $0 { reason } else { nil }
      },
    ],
  )
}

extension Laboratory.Hazard: ReplicatedState {}

extension Laboratory.Action: DurableAction, WireChoiceAction {
  static let layout = ActionLayout<Self>("Laboratory.Action", measurements + comings)

  private static let measurements: [ActionLayout<Self>.Case] = [
    .case("calibrated", embed: Self.calibrated) {
      if case .calibrated(let data) = $0 { data } else { nil }
    },
    .case("hazardsMarked", embed: Self.hazardsMarked) {
      if case .hazardsMarked(let hazards) = $0 { hazards } else { nil }
    },
    .case("humidityMeasured", "room", "percent", embed: Self.humidityMeasured(room:percent:)) {
      if case .humidityMeasured(let room, let percent) = $0 { (room, percent) } else { nil }
    },
    .case("moved", "to", embed: Self.moved(to:)) {
      if case .moved(let place) = $0 { place } else { nil }
    },
    .case("ovenSet", embed: Self.ovenSet) {
      if case .ovenSet(let oven) = $0 { oven } else { nil }
    },
    .case("ovenTimed", "milliseconds", embed: Self.ovenTimed(milliseconds:)) {
      if case .ovenTimed(let milliseconds) = $0 { milliseconds } else { nil }
    },
  ]

  private static let comings: [ActionLayout<Self>.Case] = [
    .case("experiment", embed: Self.experiment) {
      if case .experiment(let action) = $0 { action } else { nil }
    },
    .case("experimentEnded", .experimentEnded),
    .case("experimentStarted", "title", embed: Self.experimentStarted(title:)) {
      if case .experimentStarted(let title) = $0 { title } else { nil }
    },
    .case(
      "inspectionPlanned",
      "milliseconds",
      "isRepeated",
      embed: Self.inspectionPlanned(milliseconds:isRepeated:),
    ) {
      if case .inspectionPlanned(let time, let isRepeated) = $0 {
        (time, isRepeated)
      } else {
        nil
      }
    },
    .case("sampleTaken", "id", "label", embed: Self.sampleTaken(id:label:)) {
      if case .sampleTaken(let id, let label) = $0 { (id, label) } else { nil }
    },
    .case("samples", embed: Self.samples) {
      if case .samples(let action) = $0 { action } else { nil }
    },
    .case("technicianCame", "name", embed: Self.technicianCame(name:)) {
      if case .technicianCame(let name) = $0 { name } else { nil }
    },
  ]
}

extension Laboratory.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var experiment: AnyCasePath<Laboratory.Action, Experiment.Action> {
      AnyCasePath(
        embed: { .experiment($0) },
        extract: { if case .experiment(let action) = $0 { action } else { nil } },
      )
    }

    var samples: AnyCasePath<Laboratory.Action, IdentifiedActionOf<Sample>> {
      AnyCasePath(
        embed: { .samples($0) },
        extract: { if case .samples(let action) = $0 { action } else { nil } },
      )
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension Experiment.State: ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Experiment",
    [.field("title", \.title), .field("readings", \.readings), .field("lasts", \.lasts)],
  )
}

extension Experiment.Action: WireChoiceAction {
  static let layout = ActionLayout<Self>(
    "Experiment.Action",
    [
      .case("prolonged", "by", embed: Self.prolonged(by:)) {
        if case .prolonged(let duration) = $0 { duration } else { nil }
      },
      .case("readingTaken", embed: Self.readingTaken) {
        if case .readingTaken(let reading) = $0 { reading } else { nil }
      },
    ],
  )
}

extension Sample.State: ReplicatedRecord {
  static let layout = RecordLayout<Self>(
    "Sample",
    [.field("id", \.id), .field("label", \.label), .field("isSealed", \.isSealed)],
  )
}

extension Sample.Action: WireChoiceAction {
  static let layout = ActionLayout<Self>(
    "Sample.Action",
    [
      .case("relabelled", embed: Self.relabelled) {
        if case .relabelled(let label) = $0 { label } else { nil }
      },
      .case("sealed", .sealed),
    ],
  )
}
