package import StoreState

extension Presence.State: ReplicatedRecord {
  package init() { self.init(sessions: []) }

  package static let layout = RecordLayout<Self>(
    "Presence",
    [
      .field("sessions", \.sessions)
    ],
  )
}

extension Presence.Session: ReplicatedRecord {
  package init() { self.init(id: 0) }

  package static let layout = RecordLayout<Self>(
    "Presence.Session",
    [
      .field("id", \.id),
      .field("name", \.name),
      .field("address", \.address),
    ],
  )
}
