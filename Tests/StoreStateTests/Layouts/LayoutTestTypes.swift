import StoreActor
import StoreState

/// A record whose fields have another order than their names' encodings.
struct Todo: Hashable, ReplicatedRecord {
  var title = ""
  var id = 0
  var isCompleted = false
  var tags: [String] = []
  var note: String?
  /// Private to its process.
  var draft = ""

  static let layout = RecordLayout<Todo>(
    "Todo",
    [
      .field("title", \.title),
      .field("id", \.id),
      .field("isCompleted", \.isCompleted),
      .field("tags", \.tags),
      .field("note", \.note),
    ],
  )
}

/// A choice of cases with and without payload.
enum Destination: Hashable, ReplicatedChoice {
  case nowhere
  case home
  case edit(Todo)
  case move(from: Int, to: Int)
  case pick(isFirst: Bool, at: Int, _tags: [String])

  static let layout = ChoiceLayout<Destination>(
    "Destination",
    [
      .case("nowhere", .nowhere),
      .case("home", .home),
      .case("edit", embed: Destination.edit) {
        if case .edit(let todo) = $0 { todo } else { nil }
      },
      .case("move", "from", "to", embed: Destination.move(from:to:)) {
        if case .move(let from, let to) = $0 { (from, to) } else { nil }
      },
      .case("pick", "isFirst", "at", "tags", embed: Destination.pick(isFirst:at:_tags:)) {
        if case .pick(let isFirst, let at, let tags) = $0 { (isFirst, at, tags) } else { nil }
      },
    ],
  )
}

/// A record that contains itself.
struct Tree: Hashable, ReplicatedRecord {
  var value = 0
  var children: [Tree] = []

  static let layout = RecordLayout<Tree>(
    "Tree",
    [.field("value", \.value), .field("children", \.children)],
  )
}

/// A choice of texts.
enum Filter: String, CaseIterable, ReplicatedState {
  case all
  case active
  case completed
}

/// A raw value of its own type.
struct RowID: RawRepresentable, Hashable, ReplicatedState {
  var rawValue: UInt16
}

/// A record with a field of each kind of part.
struct AppState: Hashable, ReplicatedRecord {
  var todos: [Todo] = []
  var destination = Destination.nowhere
  var last: Todo?
  var byName: [String: Todo] = [:]
  var selection: Set<RowID> = []
  var filter = Filter.all
  var tree = Tree()

  static let layout = RecordLayout<AppState>(
    "AppState",
    [
      .field("todos", \.todos),
      .field("destination", \.destination),
      .field("last", \.last),
      .field("byName", \.byName),
      .field("selection", \.selection),
      .field("filter", \.filter),
      .field("tree", \.tree),
    ],
  )
}

/// The action of a child feature; `loaded` is private.
enum TodoAction: Equatable, Sendable, WireChoiceAction {
  case toggleButtonTapped
  case titleChanged(title: String)
  case loaded(String)

  static let layout = ActionLayout<TodoAction>(
    "Todo.Action",
    [
      .case("toggleButtonTapped", .toggleButtonTapped),
      .case("titleChanged", "title", embed: TodoAction.titleChanged(title:)) {
        if case .titleChanged(let title) = $0 { title } else { nil }
      },
    ],
  )
}

/// The action of a feature with rows and a child.
enum TodosAction: Sendable, WireChoiceAction {
  case clearCompletedButtonTapped
  case addButtonTapped(title: String)
  case filterPicked(filter: Filter)
  case moved(source: [Int], destination: Int, animated: Bool)
  case items(IdentifiedAction<Int, TodoAction>)
  case focused(TodoAction)
  case response(Int)

  static let layout = ActionLayout<TodosAction>(
    "Todos.Action",
    [
      .case("clearCompletedButtonTapped", .clearCompletedButtonTapped) {
        if case .clearCompletedButtonTapped = $0 { true } else { false }
      },
      .case("addButtonTapped", "title", embed: TodosAction.addButtonTapped(title:)) {
        if case .addButtonTapped(let title) = $0 { title } else { nil }
      },
      .case("filterPicked", "filter", embed: TodosAction.filterPicked(filter:)) {
        if case .filterPicked(let filter) = $0 { filter } else { nil }
      },
      .case(
        "moved",
        "source",
        "destination",
        "animated",
        embed: TodosAction.moved(source:destination:animated:),
      ) {
        if case .moved(let from, let to, let animated) = $0 { (from, to, animated) } else { nil }
      },
      .case("items", embed: TodosAction.items) {
        if case .items(let action) = $0 { action } else { nil }
      },
      .case("focused", embed: TodosAction.focused) {
        if case .focused(let action) = $0 { action } else { nil }
      },
    ],
  )
}
