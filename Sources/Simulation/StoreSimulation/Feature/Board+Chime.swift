package import StoreState

extension Board {
  /// An output of a part of the board.
  package enum Chime: Equatable, Sendable {
    case rung(Mark)
    /// Unknown in later builds.
    case faded(Mark)
  }

  package struct Mark: Equatable, Sendable {
    /// Greater than the number of every earlier output, also of earlier daemons.
    package var number: UInt64 = 0
    package var text = ""

    package init() {}
  }
}

extension Board.Chime {
  /// The number of the output.
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
