import StoreActor
import Testing

/// Tests of enums with case paths that `@CasePathable` generated.
@Suite("An enum with generated case paths")
struct CasePathableMacroTests {
  @Test("returns and accepts the values of its cases")
  func values() {
    #expect(Sample.single(1)[case: \.single] == 1)
    #expect(Sample.labelled(count: 2)[case: \.labelled] == 2)
    #expect(Sample.plain[case: \.single] == nil)
    #expect(Sample.plain.is(\.plain))
    let several = Sample.several(first: "a", 1, last: nil)[case: \.several]
    #expect(several?.first == "a")
    #expect(several?.1 == 1)
    #expect(several?.last == .some(nil))
    #expect(Sample.optional(nil)[case: \.optional] == .some(nil))
    #expect(Sample.closure { 3 }[case: \.closure]?() == 3)
    #expect(Sample.class(4).class == 4)
    #expect(Sample.filter(5).filter == 5)
    #expect(Sample.here(6).here == 6)
    #expect(Sample.nested(.list([.first])).nested?.list?.first?.is(\.first) == true)
  }

  @Test("is created from a case's value")
  func embeds() {
    let single: CaseKeyPath<Sample, Int> = \.single
    #expect(single(1).single == 1)
    let several: CaseKeyPath<Sample, (first: String, Int, last: String?)> = \.several
    #expect(several((first: "a", 2, last: "b")).several?.1 == 2)
    let nested: CaseKeyPath<Sample, Sample> = \.nested
    #expect(nested(.map).nested?.is(\.map) == true)
    let fallback: CaseKeyPath<Sample, String> = \.fallback
    #expect(fallback("y").fallback == "y")
  }

  @Test("names its cases, and key paths of several cases")
  func names() {
    #expect(caseName(of: \Sample.Cases.single) == "\\.single")
    #expect(caseName(of: \Sample.Cases.default) == "\\.default")
    #expect(caseName(of: \Sample.Cases.nested.nested.map) == "\\.nested.nested.map")
    #expect(caseName(of: \PublicSample.Cases.child.moved) == "\\.child.moved")
    #expect(
      caseName(of: \ParentWire.Cases.rows[id: 1].titleChanged) == "\\.rows[id: 1].titleChanged"
    )
    #expect(caseName(of: \ParentWire.Cases.optional.some) == "\\.optional.some")
    #expect(caseName(of: \Sample.Cases.self) == "\\.")
    #expect(caseName(of: \String.count) == nil)
    #expect(caseName(of: \Handwritten.Cases.a) == nil)
    #expect(PublicChild._$caseNames == ["moved"])
    #expect(Empty._$caseNames == [])
    #expect(privateNames() == ["tapped"])
  }

  @Test("lists its cases, and returns a value's case")
  func lists() {
    #expect(Array(PublicSample.allCasePaths) == [\.tapped, \.child])
    #expect(PublicSample.allCasePaths[.child(.moved(to: 1))] == \.child)
    #expect(Lonely.allCasePaths[.only] == \.only)
    #expect(Array(Lonely.allCasePaths) == [\.only])
    #expect(Array(Empty.allCasePaths).isEmpty)
    #expect(Sample._$caseNames.prefix(3) == ["plain", "single", "labelled"])
    #expect(Sample._$caseNames.contains("here"))
    #expect(!Sample._$caseNames.contains("elsewhere"))
    #expect(Sample._$caseNames.last == "old")
    #expect(keyPath(of: .second(true), in: Sample.allCasePaths) == \.second)
  }

  @Test("may have cases with the names of members of the case paths' types")
  func namesOfMembers() {
    #expect(Called.embed(1)[case: \.embed] == 1)
    #expect(Called.embed(1)[case: \.extract] == nil)
    #expect(Called.extract(2).is(\.extract))
    let embed: CaseKeyPath<Called, Int> = \.embed
    #expect(embed(3) == .embed(3))
    let never: CaseKeyPath<Called, Int> = \.never
    #expect(never(4) == .never(4))
    #expect(Called._$caseNames == Bare._$caseNames + ["other"])
    for keyPath in Called.allCasePaths {
      let value: Called? = keyPath(7)
      #expect(value.map { $0.case == keyPath } ?? (keyPath == \.other))
    }
    for keyPath in Bare.AllCasePaths() {
      let value: Bare? = keyPath(())
      #expect(value?.case == keyPath)
    }
    #expect(Bare.never.is(\.never) && Bare.allCasePaths.is(\.allCasePaths))
  }

  @Test("may have such cases in an optional")
  func namesOfMembersInOptional() {
    let paths: [CaseKeyPath<Wrapping, Int>] = [
      \.called.never, \.called.map, \.called.lazy, \.called.underestimatedCount,
    ]
    for called in [Called.never(1), .map(1), .lazy(1), .underestimatedCount(1)] {
      #expect(paths.filter { Wrapping.called(called)[case: $0] == 1 }.count == 1)
    }
    let bare: [CaseKeyPath<Wrapping, Void>] = [\.bare.never, \.bare.map, \.bare.makeIterator]
    #expect(bare.map { Wrapping.bare(.never).is($0) } == [true, false, false])
  }

  @Test("may be generic, with parameters named like those of its case paths")
  func generic() {
    let boxed = Crate<Int, String>.roots(["a"], .init())
    #expect(boxed[case: \.roots]?.0 == ["a"])
    #expect(Crate<Int, String>.element(1)[case: \.element] == 1)
    #expect(Crate<Int, String>.none.is(\.none))
  }

  @Test("may be nested in an extension, public or not")
  func nested() {
    #expect(Outer.Inner.a(1)[case: \.a] == 1)
    #expect(Outer.Implicit.a(1)[case: \.a] == 1)
    #expect(PackageSample.tapped(1)[case: \.tapped] == 1)
    #expect(Conforming.a.is(\.a))
  }
}

/// Through the protocol, an enum with a deprecated case causes no warning.
private func keyPath<Paths: CasePathReflectable>(
  of value: Paths.Root,
  in paths: Paths,
) -> PartialCaseKeyPath<Paths.Root> {
  paths[value]
}

/// Case paths that are written manually, without names.
private enum Handwritten: CasePathable {
  case a

  struct AllCasePaths: Sendable {
    var a: AnyCasePath<Handwritten, Void> {
      AnyCasePath(embed: { .a }, extract: { if case .a = $0 { () } else { nil } })
    }
  }
  static var allCasePaths: AllCasePaths { AllCasePaths() }
}
