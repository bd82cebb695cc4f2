import Testing

@testable import StoreActor

private struct Nothing: Equatable {}

private enum Shapes<Value> {
  case before
  case value(Value)
  case unit(Void)
  case labelled(text: String)
  case pair(Int, String)
  indirect case inner(Self)
  case nothing(Nothing)
  case reference(Reference)
  case after
}

private final class Reference {}

@Suite("The contents of an enum's metadata")
struct EnumLayoutTests {
  @Test("Each case has a unique number, and the type of its payload")
  func cases() throws {
    let layout = try #require(EnumLayout<Shapes<[Int]>>())
    let values: [Shapes<[Int]>] = [
      .value([1]), .labelled(text: "a"), .pair(1, "b"), .inner(.after), .reference(Reference()),
      .before, .unit(()), .nothing(Nothing()), .after,
    ]
    #expect(Set(values.map(layout.tag)) == Set(0..<9))
    #expect(layout.tag(of: .value([2])) == layout.tag(of: values[0]))
    let types = values.prefix(5).map { layout.payloadTypes[layout.tag(of: $0)] }
    #expect(types[0] == [Int].self)
    #expect(types[1] == String.self)
    #expect(types[2] == (Int, String).self)
    #expect(types[3] == Shapes<[Int]>.self)
    #expect(types[4] == Reference.self)
    let others = values.suffix(4).map { layout.payloadTypes[layout.tag(of: $0)] }
    #expect(others[0] == nil)
    #expect(others[1] == Void.self)
    #expect(others[2] == Nothing.self)
    #expect(others[3] == nil)
  }

  @Test("A case's payload is extracted, and is neither lost nor leaked")
  func payloads() throws {
    let layout = try #require(EnumLayout<Shapes<[Int]>>())
    func payload<P>(_ value: Shapes<[Int]>, _: P.Type) -> P {
      layout.payload(of: value, tag: layout.tag(of: value), as: P.self)
    }
    #expect(payload(.value([1, 2]), [Int].self) == [1, 2])
    let text = "a long text that has memory of its own"
    #expect(payload(.labelled(text: text), String.self) == text)
    #expect(payload(.pair(1, "b"), (Int, String).self) == (1, "b"))
    let inner = payload(.inner(.value([3])), Shapes<[Int]>.self)
    #expect(payload(inner, [Int].self) == [3])
    weak var reference: Reference?
    do {
      let value = Shapes<[Int]>.reference(Reference())
      for _ in 0..<3 { reference = payload(value, Reference.self) }
      let boxed = Shapes<[Int]>.inner(value)
      for _ in 0..<3 { _ = payload(boxed, Shapes<[Int]>.self) }
      #expect(reference != nil)
    }
    #expect(reference == nil)
  }

  @Test("A generic enum's case may have an empty payload, and other types are no enums")
  func kinds() throws {
    let layout = try #require(EnumLayout<Shapes<Void>>())
    #expect(layout.tag(of: .value(())) != layout.tag(of: .labelled(text: "")))
    #expect(EnumLayout<Int?>()?.payloadTypes.isEmpty == true)
    #expect(EnumLayout<Nothing>() == nil)
    #expect(EnumLayout<Reference>() == nil)
  }
}
