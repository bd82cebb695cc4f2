package import StoreActor

extension Probe.State: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Probe",
    [
      .field("overlaps", \.overlaps),
      .field("offMain", \.offMain),
      .field("reduced", \.reduced),
      .field("disorders", \.disorders),
      .field("senders", \.senders),
      .field("revisionDisorders", \.revisionDisorders),
      .field("latest", \.latest),
      .field("numbers", \.numbers),
      .field("waiting", \.waiting),
      .field("released", \.released),
      .field("cancelled", \.cancelled),
    ],
  )
}

extension Probe.Mark: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Mark",
    [.field("sender", \.sender), .field("number", \.number)],
  )
}

extension Probe.Output: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Probe.Output",
    [.field("name", \.name), .field("isWaiting", \.isWaiting)],
  )
}

extension Probe.Action: WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "Probe.Action",
    [
      .case("effectsStarted", "tasks", "each", embed: Self.effectsStarted(tasks:each:)) {
        if case .effectsStarted(let tasks, let each) = $0 { (tasks, each) } else { nil }
      },
      .case("held", "name", embed: Self.held(name:)) {
        if case .held(let name) = $0 { name } else { nil }
      },
      .case("poked", .poked),
      .case("released", "name", embed: Self.released(name:)) {
        if case .released(let name) = $0 { name } else { nil }
      },
      .case("threadBlocked", "milliseconds", embed: Self.threadBlocked(milliseconds:)) {
        if case .threadBlocked(let milliseconds) = $0 { milliseconds } else { nil }
      },
      .case("sendersStarted", "senders", "each", embed: Self.sendersStarted(senders:each:)) {
        if case .sendersStarted(let senders, let each) = $0 { (senders, each) } else { nil }
      },
    ],
  )
}
