import Foundation
import StoreActor
import Testing

@testable import GenericState
@testable import StoreBytes
@testable import StoreCollections
@testable import StoreState
@testable import StoreValues

/// The values of the golden corpus.
enum GoldenCorpus {
  static func files() throws -> [GoldenFile] {
    try integers() + floats() + others() + texts() + containers() + definitions()
  }

  // MARK: Numbers and the like

  private static func integers<Number: ReplicatedState & FixedWidthInteger>(
    _ name: String,
    _ type: Number.Type,
  ) throws -> GoldenFile {
    try GoldenFile(
      name,
      "Integers: the shortest form at both sides of every width",
      [
        "min": .min, "zero": 0, "twentythree": 23, "twentyfour": 24, "max": .max,
        "maxLessOne": .max - 1, "half": .max / 2, "minPlusOne": .min + 1,
      ],
    )
  }

  private static func integers() throws -> [GoldenFile] {
    [
      try integers("int8", Int8.self), try integers("int16", Int16.self),
      try integers("int32", Int32.self), try integers("int64", Int64.self),
      try integers("int128", Int128.self), try integers("uint8", UInt8.self),
      try integers("uint16", UInt16.self), try integers("uint32", UInt32.self),
      try integers("uint64", UInt64.self), try integers("uint128", UInt128.self),
    ]
  }

  private static func floats() throws -> [GoldenFile] {
    [
      try GoldenFile(
        "float16",
        "Floats of 16 bits",
        ["zero": 0, "minusZero": -0.0, "least": .leastNonzeroMagnitude, "nan": -.nan]
          as KeyValuePairs<String, Float16>,
      ),
      try GoldenFile(
        "float32",
        "Floats of 32 bits in the shortest form that keeps every bit",
        [
          "zero": 0, "minusZero": -0.0, "oneAndAHalf": 1.5, "tenth": 0.1, "max": 65504,
          "beyondHalf": 65505, "least": .leastNonzeroMagnitude, "infinity": .infinity,
          "nan": .signalingNaN,
        ] as KeyValuePairs<String, Float>,
      ),
      try GoldenFile(
        "float64",
        "Floats of 64 bits in the shortest form that keeps every bit; every NaN is one",
        [
          "zero": 0, "minusZero": -0.0, "one": 1, "tenth": 0.1, "beyondHalf": 100_000,
          "leastHalf": 0x1p-24, "leastSingle": 0x1p-149, "least": .leastNonzeroMagnitude,
          "greatest": .greatestFiniteMagnitude, "minusInfinity": -.infinity, "nan": .nan,
          "otherNaN": Double(nan: 12345, signaling: true),
        ] as KeyValuePairs<String, Double>,
      ),
    ]
  }

  private static func others() throws -> [GoldenFile] {
    [
      try GoldenFile("bool", "False and true", ["false": false, "true": true]),
      try GoldenFile(
        "date",
        "Dates: seconds since 2001",
        [
          "reference": Date(timeIntervalSinceReferenceDate: 0),
          "before": Date(timeIntervalSinceReferenceDate: -0.5),
          "exact": Date(timeIntervalSinceReferenceDate: 791_544_600.125),
          "far": Date(timeIntervalSinceReferenceDate: 1e300),
        ],
      ),
      try GoldenFile(
        "duration",
        "Durations: seconds and attoseconds",
        [
          "zero": .zero, "seconds": .seconds(3), "negative": .milliseconds(-1_500),
          "longest": Duration(
            secondsComponent: .max,
            attosecondsComponent: 999_999_999_999_999_999,
          ),
        ],
      ),
      try GoldenFile(
        "uuid",
        "Universally unique identifiers",
        [
          "zero": UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
          "count": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255)),
        ],
      ),
    ]
  }

  // MARK: Texts and bytes

  private static let long = String(repeating: "Übung macht den Meister. ", count: 12)

  private static func texts() throws -> [GoldenFile] {
    [
      try GoldenFile(
        "text",
        "Texts by their UTF-8; long ones change by splices between scalars",
        [
          "empty": "", "composed": "é", "decomposed": "e\u{301}", "beyondBMP": "𝄞",
          "zero": "\u{0}", "long": long, "longMore": long + "é", "longOther": long + "è",
          "longFirst": "E" + long.dropFirst() + "è", "short": "x",
        ],
      ),
      try GoldenFile(
        "bytes",
        "Byte strings; long ones change by splices",
        [
          "empty": Data(), "one": Data([0]), "long": Data(repeating: 7, count: 300),
          "longMore": Data(repeating: 7, count: 300) + [1],
        ],
      ),
      try GoldenFile(
        "url",
        "Locators",
        [
          "relative": try #require(URL(string: "a/b")),
          "absolute": try #require(URL(string: "https://example.com/?q=%20")),
        ],
      ),
    ]
  }

  // MARK: Containers

  private static func containers() throws -> [GoldenFile] {
    [
      try GoldenFile(
        "optional",
        "Optionals of optionals: absent, present and absent inside, present",
        ["absent": nil, "absentInside": .some(nil), "present": 1, "changed": 2]
          as KeyValuePairs<String, Int??>,
      ),
      try GoldenFile(
        "array",
        "Arrays: one element that changes inside, or one run that makes way for another",
        [
          "empty": [], "one": [[1]], "more": [[1], [2], [3]], "inside": [[1], [2, 9], [3]],
          "insideOther": [[1, 0], [2, 9], [3]], "removed": [[1, 0], [3]],
          "many": (0..<30).map { [$0] },
        ] as KeyValuePairs<String, [[Int]]>,
      ),
      try GoldenFile(
        "set",
        "Sets in the order of encodings",
        [
          "empty": [], "two": ["é", "z"], "respelt": ["e\u{301}", "z"],
          "many": Set((0..<30).map { "\($0 * 37)" }),
        ] as KeyValuePairs<String, Set<String>>,
      ),
      try GoldenFile(
        "setOfFloats",
        "Sets of floats: zeros by their sign are two, NaN is one",
        ["zero": [0], "nan": [.nan, 1], "both": [-0.0, .infinity]]
          as KeyValuePairs<String, Set<Double>>,
      ),
      try GoldenFile(
        "dictionary",
        "Dictionaries in the order of the keys' encodings",
        [
          "empty": [:], "two": [10: [1], -1: []], "inside": [10: [1, 2], -1: []],
          "other": [10: [1, 2], 300: [5]], "replaced": [-1: [4], 300: [5]],
        ] as KeyValuePairs<String, [Int: [Int]]>,
      ),
      try GoldenFile(
        "dictionaryOfOptionals",
        "Dictionaries from texts to optionals",
        ["null": ["a": nil], "present": ["a": 1, "é": nil]]
          as KeyValuePairs<String, [String: Int?]>,
      ),
      try GoldenFile(
        "any",
        "Any item",
        [
          "null": .null, "least": .negative(.max), "set": .set([.unsigned(1), .text("a")]),
          "map": .map([.init(.unsigned(1), .bytes([1])), .init(.array([]), .float(-0.0))]),
        ] as KeyValuePairs<String, GenericValue>,
      ),
      try GoldenFile(
        "deep",
        "Nesting as deep as a value may go",
        ["shallow": tree(1), "deep": tree(31), "deepChanged": tree(31, leaf: 9)],
      ),
    ]
  }

  /// A record in an array in a record, and so on: each level is two levels of the encoding.
  private static func tree(_ depth: Int, leaf: Int = 1) -> Tree {
    var tree = Tree()
    tree.value = leaf
    for _ in 0..<depth {
      var outer = Tree()
      outer.children = [tree]
      tree = outer
    }
    return tree
  }

  // MARK: Records, choices, rows and actions

  private static func definitions() throws -> [GoldenFile] {
    [
      try GoldenFile(
        "record",
        "Records: fields by name in bytewise order, in deltas by index",
        [
          "initial": Todo(), "titled": Todo(title: "Milk", id: 1),
          "noted": Todo(title: "Milk", id: 1, tags: ["a"], note: "2 l"),
          "done": Todo(title: "Milk", id: 1, isCompleted: true, tags: ["a"], note: "2 l"),
        ],
      ),
      try GoldenFile(
        "choice",
        "Choices: a case, a payload by labels, a change inside a case",
        [
          "nowhere": .nowhere, "home": .home, "edit": .edit(Todo()),
          "editOther": .edit(Todo(title: "a")), "move": .move(from: 1, to: 2),
          "moveOther": .move(from: 1, to: 3), "pick": .pick(isFirst: true, at: 0, _tags: ["x"]),
        ] as KeyValuePairs<String, Destination>,
      ),
      try GoldenFile(
        "texts",
        "A choice of texts, and raw values",
        ["all": .all, "active": .active] as KeyValuePairs<String, Filter>,
      ),
      try GoldenFile(
        "identified",
        "Rows by their ids: inserted, moved, removed, changed inside",
        [
          "empty": [], "three": [Row(1, "a"), Row(2, "b"), Row(3, "c")],
          "moved": [Row(3, "c"), Row(1, "a"), Row(2, "b")],
          "changed": [Row(3, "c"), Row(1, "A"), Row(2, "b")],
          "removed": [Row(3, "c"), Row(2, "b", isCompleted: true), Row(9, "new")],
          "inserted": [Row(7), Row(3, "c"), Row(9, "newer"), Row(2, "b", isCompleted: true)],
        ] as KeyValuePairs<String, Rows>,
      ),
      try GoldenFile(
        "scope",
        "A scope's state: absent, or a state with one of each",
        ["absent": nil, "initial": AppState(), "changed": appState]
          as KeyValuePairs<String, AppState?>,
      ),
      try GoldenFile(
        "action",
        "Actions that a client may send, also for one row",
        actions: [
          "plain": .clearCompletedButtonTapped, "labelled": .addButtonTapped(title: "Milk"),
          "choice": .filterPicked(filter: .completed),
          "several": .moved(source: [1, 2], destination: 3, animated: true),
          "row": .items(.element(id: 300, action: .titleChanged(title: "é"))),
          "child": .focused(.toggleButtonTapped),
        ] as KeyValuePairs<String, TodosAction>,
      ),
    ]
  }

  private static var appState: AppState {
    var state = AppState()
    state.todos = [Todo(title: "a", id: 1), Todo(title: "b", id: 2)]
    state.destination = .move(from: 1, to: 2)
    state.byName = ["x": Todo(), "é": Todo(title: "y")]
    state.selection = [RowID(rawValue: 1), RowID(rawValue: 300)]
    state.filter = .completed
    return state
  }
}
