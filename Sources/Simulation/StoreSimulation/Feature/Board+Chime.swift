package import StoreState

extension Board {
  /// What a part of the board puts out.
  package enum Chime: Equatable, Sendable {
    case rung(Mark)
    /// Later builds know nothing of it.
    case faded(Mark)
  }

  package struct Mark: Equatable, Sendable {
    /// Greater than that of every output before it, also of earlier daemons.
    package var number: UInt64 = 0
    package var text = ""

    package init() {}
  }
}

extension Board.Chime {
  /// Which output it is.
  package var number: UInt64 {
    switch self {
    case .rung(let mark), .faded(let mark): mark.number
    }
  }
}

extension Board.Mark: ReplicatedRecord {
  package static let layout = RecordLayout<Self>(
    "Mark",
    [.field("number", \.number), .field("text", \.text)],
  )
}

extension Board.Chime: ReplicatedChoice {
  package static let layout = ChoiceLayout<Self>(
    "Chime",
    [
      .case("rung", embed: Self.rung) { if case .rung(let mark) = $0 { mark } else { nil } },
      .case("faded", embed: Self.faded) { if case .faded(let mark) = $0 { mark } else { nil } },
    ],
  )
}
