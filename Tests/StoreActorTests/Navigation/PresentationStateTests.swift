import CustomDump
import Foundation
import StoreActor
import StoreState
import Testing

@Suite("Presented state")
struct PresentationStateTests {
  typealias Presentation = PresentationState<Destination.State>

  @Test("It is an optional of its state")
  func optional() {
    var state = PresentationState<Int>(wrappedValue: nil)
    #expect(state.wrappedValue == nil)
    state.wrappedValue = 1
    state.wrappedValue? += 1
    #expect(state.wrappedValue == 2)
    state.wrappedValue = nil
    #expect(state.wrappedValue == nil)
    #expect(state.projectedValue == PresentationState(wrappedValue: nil))
  }

  @Test("Writing to a copy leaves the original as it was")
  func valueSemantics() {
    let original = PresentationState<[Int]>(wrappedValue: [1])
    var copy = original
    copy.wrappedValue?.append(2)
    #expect(original.wrappedValue == [1])
    #expect(copy.wrappedValue == [1, 2])
    copy.wrappedValue?.removeAll()
    #expect(copy.wrappedValue == [])
  }

  @Test("A unique state changes in place")
  func inPlace() {
    final class Probe {}
    struct Item {
      var probe: Probe? = Probe()
      var isUnique: Bool {
        mutating get { isKnownUniquelyReferenced(&probe) }
      }
    }
    var state = PresentationState<Item>(wrappedValue: Item())
    #expect(state.wrappedValue?.isUnique == true)
  }

  @Test("Copies are equal without a comparison of their contents")
  func identity() {
    struct Contrary: Equatable {
      static func == (_: Self, _: Self) -> Bool { false }
    }
    let state = PresentationState(wrappedValue: Contrary())
    let copy = state
    #expect(state == copy)
    #expect(state != PresentationState(wrappedValue: Contrary()))
  }

  @Test("A case is read and written, and removed with nil")
  func cases() {
    var state = Presentation(wrappedValue: .sheet(PaperSheet.State(id: 1)))
    state[case: \.sheet]?.ticks = 5
    #expect(state.wrappedValue == .sheet(PaperSheet.State(id: 1, ticks: 5)))
    #expect(state[case: \.other] == nil)
    #expect(state.sheet.wrappedValue?.ticks == 5)
    state.sheet.wrappedValue?.ticks = 6
    #expect(state.wrappedValue?.sheet?.ticks == 6)
    state.other.wrappedValue = PaperSheet.State(id: 2)
    #expect(state.wrappedValue?.sheet?.ticks == 6)
    state[case: \.sheet] = nil
    #expect(state.wrappedValue == nil)
  }

  @Test("Changing another case is reported, and has no effect")
  func unrelatedCase() {
    var state = Presentation(wrappedValue: .sheet(PaperSheet.State(id: 1)))
    withKnownIssue {
      state[case: \.other]?.ticks = 5
    } matching: { issue in
      issue.description.contains("Can't modify the \"State\" in a case of \"State\"")
        && issue.description.contains("the value is of another case, \"sheet\".")
        && issue.description.contains("To fix, look at the case first")
    }
    #expect(state.wrappedValue == .sheet(PaperSheet.State(id: 1)))
    state.wrappedValue = nil
    withKnownIssue {
      state[case: \.other] = PaperSheet.State(id: 1)
    } matching: {
      $0.description.contains("the value is absent.")
    }
    #expect(state.wrappedValue == nil)
  }

  @Test("It dumps as its optional")
  func dump() {
    #expect(String(customDumping: PresentationState(wrappedValue: 1)) == "1")
    #expect(String(customDumping: PresentationState<Int>(wrappedValue: nil)) == "nil")
  }

  @Test("It is encoded as its optional, and a missing key is absence")
  func codable() throws {
    struct Parent: Codable, Equatable {
      @PresentationState var child: Int?
    }
    let data = try JSONEncoder().encode(Parent(child: 1))
    #expect(String(decoding: data, as: UTF8.self) == #"{"child":1}"#)
    #expect(try JSONDecoder().decode(Parent.self, from: data) == Parent(child: 1))
    for text in [#"{"child":null}"#, "{}"] {
      let parent = try JSONDecoder().decode(Parent.self, from: Data(text.utf8))
      #expect(parent == Parent(child: nil))
    }
  }

  @Test("On the wire it is an optional")
  func wire() throws {
    let optionals: [[String]?] = [nil, [], ["Milk"], ["Milk", "Eggs"]]
    typealias Presentation = PresentationState<[String]>
    #expect(
      SchemaRegistry.document(for: Presentation.self)
        == SchemaRegistry.document(for: [String]?.self)
    )
    let presentations = optionals.map { Presentation(wrappedValue: $0) }
    try checkReplication(presentations)
    for (presentation, optional) in zip(presentations, optionals) {
      #expect(presentation.encoded() == optional.encoded())
      #expect(try Presentation(encoded: optional.encoded()).wrappedValue == optional)
      #expect(presentation.delta(from: presentations[1]) == optional.delta(from: optionals[1]))
    }
  }

  @Test("Optionals of it distinguish nil from absence")
  func nested() throws {
    let states: [PresentationState<Int>?] = [
      nil, PresentationState(wrappedValue: nil), PresentationState(wrappedValue: 1),
    ]
    for state in states {
      #expect(try PresentationState<Int>?(encoded: state.encoded()) == state)
    }
  }
}

@Suite("Presented actions")
struct PresentationActionTests {
  typealias Action = PresentationAction<PaperSheet.Action>

  @Test("Case paths reach the child's cases")
  func casePaths() {
    let path: CaseKeyPath<Desk.Action, Worker.Action> = \.sheet.inner.presented
    let action = Desk.Action.sheet(.presented(.inner(.presented(.tick))))
    #expect(path(.tick) == action)
    #expect(AnyCasePath(path).extract(from: action) == .tick)
    #expect(AnyCasePath(path).extract(from: .sheet(.dismiss)) == nil)
    let tick: CaseKeyPath<Desk.Action, Void> = \.sheet.tick
    #expect(tick() == .sheet(.presented(.tick)))
    let dismiss: CaseKeyPath<Desk.Action, Void> = \.sheet.dismiss
    #expect(caseName(of: tick) == #"\.sheet.tick"#)
    #expect(caseName(of: dismiss) == #"\.sheet.dismiss"#)
    #expect(dismiss() == .sheet(.dismiss))
    #expect(Action.dismiss.is(\.dismiss))
    #expect(Action.presented(.tick).is(\.presented))
    #expect(Action.presented(.tick).is(\.tick))
  }

  @Test("It is coded as a case, and read back")
  func codable() throws {
    for action in [PresentationAction<String>.dismiss, .presented("tapped")] {
      let data = try JSONEncoder().encode(action)
      #expect(try JSONDecoder().decode(PresentationAction<String>.self, from: data) == action)
    }
  }

  @Test("It is encoded as a choice of two cases on the wire")
  func wire() throws {
    typealias Action = PresentationAction<Toggle>
    let dismiss = Action.dismiss
    #expect(try dismiss.encoded() == "dismiss".encoded())
    let presented = Action.presented(.flip)
    let bytes = try presented.encoded()
    #expect(try Action(encoded: bytes) == presented)
    #expect(try Action(encoded: dismiss.encoded()) == .dismiss)
    #expect(try wireJSON(presented) == #"{"presented":{"_0":"flip"}}"#)
    #expect(try wireJSON(dismiss) == #""dismiss""#)
  }

  @Test("A private action of the child is refused with its place, as is an unknown case")
  func wireErrors() throws {
    typealias Action = PresentationAction<Toggle>
    let error = #expect(throws: CodecError.self) { try Action.presented(.secret).encoded() }
    #expect(error?.code == .privateAction)
    #expect(error?.description.contains("$.presented._0") == true)
    let unknown = #expect(throws: CodecError.self) { try Action(encoded: "dismis".encoded()) }
    #expect(unknown?.description.contains("did you mean \"dismiss\"?") == true)
  }
}

/// An action of which a client may send one case.
enum Toggle: WireChoiceAction, Equatable {
  case flip
  case secret

  static let layout = ActionLayout<Toggle>("Toggle", [.case("flip", .flip)])
}
