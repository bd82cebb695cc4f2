import Foundation
import StoreActor
import Testing

@Suite("An unchecked sendable value")
struct UncheckedSendableTests {
  private final class Box {
    var count = 0
  }

  @Test("moves to another task and back")
  func travels() async {
    let box = UncheckedSendable(Box())
    await Task { box.value.count += 1 }.value
    #expect(box.count == 1)
  }

  @Test("is a property's value, and its projection is the sendable wrapper")
  func wrapper() async {
    @UncheckedSendable var box = Box()
    await Task { [$box] in $box.wrappedValue.count += 1 }.value
    #expect(box.count == 1)
    #expect($box.count == 1)
  }

  @Test("is encoded, compared and hashed as the bare value")
  func conformances() throws {
    let data = try JSONEncoder().encode([UncheckedSendable("a")])
    #expect(String(decoding: data, as: UTF8.self) == #"["a"]"#)
    let decoded = try JSONDecoder().decode([UncheckedSendable<String>].self, from: data)
    #expect(decoded == [UncheckedSendable("a")])
    #expect(Set([UncheckedSendable(1), UncheckedSendable(1)]).count == 1)
  }
}

@Suite("A hashable value without its type")
struct AnyHashableSendableTests {
  private struct First: Hashable {}
  private struct Second: Hashable {}

  @Test("is equal to an equal one of the same type")
  func equality() {
    #expect(AnyHashableSendable(First()) == AnyHashableSendable(First()))
    #expect(AnyHashableSendable(First()) != AnyHashableSendable(Second()))
    #expect(AnyHashableSendable(1) != AnyHashableSendable("1"))
    #expect(Set<AnyHashableSendable>([1, 1, "1", true, 2.5]).count == 4)
  }

  @Test("is the value in a comparison with another erased value")
  func erasedOtherwise() {
    #expect(AnyHashable(AnyHashableSendable(1)) == AnyHashable(1))
    #expect(AnyHashable(1) == AnyHashable(AnyHashableSendable(1)))
    #expect([AnyHashable("a"): 1][AnyHashableSendable("a")] == 1)
    #expect(AnyHashable(AnyHashableSendable(First())).base is First)
  }

  @Test("is not wrapped twice")
  func nested() {
    let inner = AnyHashableSendable(First())
    #expect(AnyHashableSendable(inner) == inner)
    #expect(AnyHashableSendable(inner).base is First)
  }

  @Test("is described as the value")
  func description() {
    #expect("\(AnyHashableSendable(42))" == "42")
    #expect(String(reflecting: AnyHashableSendable("a")) == #"AnyHashableSendable("a")"#)
  }
}
