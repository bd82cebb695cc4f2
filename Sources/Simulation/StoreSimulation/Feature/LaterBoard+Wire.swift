package import StoreState

extension LaterBoard.Accounts: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Accounts",
    [
      .field("right", \.right), .field("currency", \.currency), .field("moves", \.moves),
      .field("left", \.left),
    ],
  )
}

extension LaterBoard.ForeignAccounts: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Accounts",
    [
      .field("right", \.right), .field("currency", \.currency), .field("moves", \.moves),
      .field("left", \.left),
    ],
  )
}

extension LaterBoard.RowList: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "List",
    [.field("nextID", \.nextID), .field("filter", \.filter), .field("rows", \.rows)],
  )
}

extension LaterBoard.Row: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Row",
    [
      .field("label", formerly: "title", keyPath: \.label), .field("isOpen", \.isOpen),
      .field("id", \.id),
    ],
  )
}

extension LaterBoard.Note: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Note",
    [.field("edits", \.edits), .field("text", \.text)],
  )
}

extension LaterBoard.Crowd: ReplicatedRecord {
  package static let layout = RecordLayout<Self>("Presence", [.field("sessions", \.sessions)])
}

extension LaterBoard.Mark: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Mark",
    [
      .field("words", formerly: "text", keyPath: \.words), .field("loudness", \.loudness),
      .field("number", \.number),
    ],
  )
}

extension LaterBoard.Chime: ReplicatedChoice {
  package static let layout = ChoiceLayout<Self>(
    "Chime",
    [
      .case("hummed", .hummed),
      .case("rung", embed: Self.rung) { if case .rung(let mark) = $0 { mark } else { nil } },
    ],
  )
}

extension LaterBoard.AccountsAction: WireChoiceAction {
  package static let layout = ActionLayout<Self>(
    "Accounts.Action",
    [
      .case("audited", "tag", embed: Self.audited(tag:)) {
        if case .audited(let tag) = $0 { tag } else { nil }
      },
      .case("refreshed", "tag", embed: Self.refreshed(tag:)) {
        if case .refreshed(let tag) = $0 { tag } else { nil }
      },
      .case(
        "transferred",
        "amount",
        "reason",
        "tag",
        embed: Self.transferred(amount:reason:tag:),
      ) {
        if case .transferred(let amount, let reason, let tag) = $0 {
          (amount, reason, tag)
        } else {
          nil
        }
      },
      .case("noteToggled", "tag", embed: Self.noteToggled(tag:)) {
        if case .noteToggled(let tag) = $0 { tag } else { nil }
      },
    ],
  )
}
