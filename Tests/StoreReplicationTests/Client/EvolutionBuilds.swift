import StoreActor
import StoreState

/// A library in an old build.
enum OldBuild {
  struct Library: ReplicatedRecord, Equatable {
    var name = "unnamed"
    var count = 0
    var rows: IdentifiedArrayOf<Row> = []
    var mood = Mood.calm
    var unread = 0
    var legacy = ""

    static let layout = RecordLayout<Self>(
      "Library",
      [
        .field("name", \.name), .field("count", \.count), .field("rows", \.rows),
        .field("mood", \.mood), .field("unread", \.unread), .field("legacy", \.legacy),
      ],
    )
  }

  struct Row: ReplicatedRecord, Equatable, Identifiable {
    var id = 0
    var title = ""
    var stars: Int32 = 0
    /// A field that newer builds do not have.
    var shelf = ""

    static let layout = RecordLayout<Self>(
      "Row",
      [
        .field("id", \.id), .field("title", \.title), .field("stars", \.stars),
        .field("shelf", \.shelf),
      ],
    )
  }

  enum Mood: ReplicatedChoice, Equatable {
    case calm
    case busy(level: Int)

    static let layout = ChoiceLayout<Self>(
      "Mood",
      [
        .case("calm", .calm),
        .case("busy", "level", embed: Self.busy(level:)) {
          if case .busy(let level) = $0 { level } else { nil }
        },
      ],
    )
  }

  enum Action: WireChoiceAction, Equatable {
    case renamed(to: String)
    case added(title: String)
    case removed(id: Int)
    case moodChanged(Mood)
    case row(id: Int, action: RowAction)
    case legacyWritten(String)

    static let layout = ActionLayout<Self>(
      "Library.Action",
      [
        .case("renamed", "to", embed: Self.renamed(to:)) {
          if case .renamed(let name) = $0 { name } else { nil }
        },
        .case("added", "title", embed: Self.added(title:)) {
          if case .added(let title) = $0 { title } else { nil }
        },
        .case("removed", "id", embed: Self.removed(id:)) {
          if case .removed(let id) = $0 { id } else { nil }
        },
        .case("moodChanged", embed: Self.moodChanged) {
          if case .moodChanged(let mood) = $0 { mood } else { nil }
        },
        .case("row", "id", "action", embed: Self.row(id:action:)) {
          if case .row(let id, let action) = $0 { (id, action) } else { nil }
        },
        .case("legacyWritten", embed: Self.legacyWritten) {
          if case .legacyWritten(let text) = $0 { text } else { nil }
        },
      ],
    )
  }

  enum RowAction: WireChoiceAction, Equatable {
    case starred
    case shelved(String)

    static let layout = ActionLayout<Self>(
      "Row.Action",
      [
        .case("starred", .starred),
        .case("shelved", embed: Self.shelved) {
          if case .shelved(let shelf) = $0 { shelf } else { nil }
        },
      ],
    )
  }

  @Sendable static func reduce(_ state: inout Library, _ action: Action) {
    state.count += 1
    switch action {
    case .renamed(let name): state.name = name
    case .added(let title):
      state.rows.append(Row(id: (state.rows.map(\.id).max() ?? 0) + 1, title: title))
      state.unread += 1
    case .removed(let id): state.rows.remove(id: id)
    case .moodChanged(let mood): state.mood = mood
    case .row(let id, .starred): state.rows[id: id]?.stars += 1
    case .row(let id, .shelved(let shelf)): state.rows[id: id]?.shelf = shelf
    case .legacyWritten(let text):
      state.count -= 1
      state.legacy = text
    }
  }
}

/// The same library in a newer build: fields are renamed, reordered, widened, added, removed.
enum NewBuild {
  struct Library: ReplicatedRecord, Equatable {
    var mood = Mood.calm
    var rows: IdentifiedArrayOf<Row> = []
    var label = "no label"
    var subtitle = "none yet"
    var unread: Int?
    var count = 0

    static let layout = RecordLayout<Self>(
      "Library",
      [
        .field("mood", \.mood), .field("rows", \.rows),
        .field("label", formerly: "name", keyPath: \.label),
        .field("subtitle", \.subtitle), .field("unread", \.unread), .field("count", \.count),
      ],
    )
  }

  struct Row: ReplicatedRecord, Equatable, Identifiable {
    var stars = 0
    var isNew = true
    var title = ""
    var id = 0

    static let layout = RecordLayout<Self>(
      "Row",
      [
        .field("stars", \.stars), .field("isNew", \.isNew), .field("title", \.title),
        .field("id", \.id),
      ],
    )
  }

  enum Mood: ReplicatedChoice, Equatable {
    case idle
    case busy(level: Int, since: Int?)
    case calm

    static let layout = ChoiceLayout<Self>(
      "Mood",
      [
        .case("idle", .idle),
        .case("busy", "level", "since", embed: Self.busy(level:since:)) {
          if case .busy(let level, let since) = $0 { (level, since) } else { nil }
        },
        .case("calm", .calm),
      ],
    )
  }

  enum Action: WireChoiceAction, Equatable {
    case moodChanged(ActionMood)
    case pinned(id: Int)
    case row(id: Int, action: RowAction)
    case added(title: String)
    case renamed(to: String, isQuiet: Bool)
    case removed(id: Int)

    static let layout = ActionLayout<Self>(
      "Library.Action",
      [
        .case("moodChanged", embed: Self.moodChanged) {
          if case .moodChanged(let mood) = $0 { mood } else { nil }
        },
        .case("pinned", "id", embed: Self.pinned(id:)) {
          if case .pinned(let id) = $0 { id } else { nil }
        },
        .case("row", "id", "action", embed: Self.row(id:action:)) {
          if case .row(let id, let action) = $0 { (id, action) } else { nil }
        },
        .case("added", "title", embed: Self.added(title:)) {
          if case .added(let title) = $0 { title } else { nil }
        },
        .case("renamed", "to", "isQuiet", embed: Self.renamed(to:isQuiet:)) {
          if case .renamed(let name, let isQuiet) = $0 { (name, isQuiet) } else { nil }
        },
        .case("removed", "id", embed: Self.removed(id:)) {
          if case .removed(let id) = $0 { id } else { nil }
        },
      ],
    )
  }

  /// A mood as an argument of an action.
  ///
  /// It need not equal a mood of the library.
  enum ActionMood: ReplicatedChoice, Equatable {
    case calm
    case idle
    case busy(level: Int)

    static let layout = ChoiceLayout<Self>(
      "ActionMood",
      [
        .case("calm", .calm), .case("idle", .idle),
        .case("busy", "level", embed: Self.busy(level:)) {
          if case .busy(let level) = $0 { level } else { nil }
        },
      ],
    )
  }

  enum RowAction: WireChoiceAction, Equatable {
    case archived
    case starred

    static let layout = ActionLayout<Self>(
      "Row.Action",
      [.case("archived", .archived), .case("starred", .starred)],
    )
  }

  @Sendable static func reduce(_ state: inout Library, _ action: Action) {
    state.count += 1
    switch action {
    case .moodChanged(.calm): state.mood = .calm
    case .moodChanged(.idle): state.mood = .idle
    case .moodChanged(.busy(let level)): state.mood = .busy(level: level, since: state.count)
    case .pinned, .row(_, .archived): break
    case .row(let id, .starred): state.rows[id: id]?.stars += 1
    case .added(let title):
      let row = Row(title: title, id: (state.rows.map(\.id).max() ?? 0) + 1)
      state.rows.insert(row, at: 0)
      state.unread = (state.unread ?? 0) + 1
    case .renamed(let name, _): state.label = name
    case .removed(let id): state.rows.remove(id: id)
    }
  }
}

extension NewBuild.Library {
  /// The state that the new build is expected to read from an old one, written by hand.
  init(_ old: OldBuild.Library) {
    switch old.mood {
    case .calm: mood = .calm
    case .busy(let level): mood = .busy(level: level, since: nil)
    }
    rows = IdentifiedArray(
      uniqueElements: old.rows.map {
        NewBuild.Row(stars: Int($0.stars), isNew: true, title: $0.title, id: $0.id)
      }
    )
    label = old.name
    subtitle = "none yet"
    unread = old.unread
    count = old.count
  }
}

/// A build between the two: it and old clients and daemons understand each other.
enum MiddleBuild {
  struct Library: ReplicatedRecord, Equatable {
    var legacy = ""
    var motto = "read on"
    var name = "middle"
    var unread = 0
    var mood = OldBuild.Mood.calm
    var rows: IdentifiedArrayOf<OldBuild.Row> = []
    var count = 0

    static let layout = RecordLayout<Self>(
      "Library",
      [
        .field("legacy", \.legacy), .field("motto", \.motto), .field("name", \.name),
        .field("unread", \.unread), .field("mood", \.mood), .field("rows", \.rows),
        .field("count", \.count),
      ],
    )
  }

  enum Action: WireChoiceAction, Equatable {
    case mottoChanged(String)
    case renamed(to: String)

    static let layout = ActionLayout<Self>(
      "Library.Action",
      [
        .case("mottoChanged", embed: Self.mottoChanged) {
          if case .mottoChanged(let motto) = $0 { motto } else { nil }
        },
        .case("renamed", "to", embed: Self.renamed(to:)) {
          if case .renamed(let name) = $0 { name } else { nil }
        },
      ],
    )
  }

  @Sendable static func reduce(_ state: inout Library, _ action: Action) {
    switch action {
    case .mottoChanged(let motto): state.motto = motto
    case .renamed(let name): state.name = name
    }
  }
}

/// A build whose states are stricter than their schema: titles have to be short.
enum StrictBuild {
  struct Library: ReplicatedRecord, Equatable {
    var name = ShortText()

    static let layout = RecordLayout<Self>("Library", [.field("name", \.name)])
  }

  struct ShortText: ReplicatedState, Equatable {
    var text = ""

    static func schema(in registry: inout SchemaRegistry) -> Schema { .text }

    init() {}

    init(from decoder: inout CBORDecoder) throws(CodecError) {
      text = try decoder.text()
      guard text.utf8.count < 10 else {
        throw decoder.error(.outOfRange, "\"\(text)\" is longer than 9 bytes")
      }
    }

    func encode(to encoder: inout CBOREncoder) { encoder.encode(text: text) }

    var _$digest: Digest { text._$digest }

    func _$isSame(as other: Self) -> Bool { text._$isSame(as: other.text) }
  }
}
